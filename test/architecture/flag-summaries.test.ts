import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type Flags = Record<string, { summary?: string }>

const { commands, globalFlags } = JSON.parse(readFileSync('oclif.manifest.json', 'utf8')) as {
  commands: Record<string, { flags: Flags }>
  globalFlags: Flags
}
const flags = Object.entries({ ...commands, dlv: { flags: globalFlags } }).flatMap(([id, command]) =>
  Object.entries(command.flags).map(([name, { summary = '' }]) => ({ flag: `${id} --${name}`, summary })),
)

describe('The summary of a flag', () => {
  it('is there, and shorter than 60 characters', () => {
    expect(flags.length).toBeGreaterThan(400)
    expect(flags.filter(({ summary }) => summary === '' || [...summary].length >= 60)).toEqual([])
  })

  it('is a phrase, not a sentence: no period at its end', () => {
    expect(flags.filter(({ summary }) => /\.\s*$/.test(summary))).toEqual([])
  })
})
