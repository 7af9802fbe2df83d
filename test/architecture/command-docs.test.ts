import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import manifest from '../../oclif.manifest.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { commandPages } from '../../scripts/command-docs.js'

const folder = 'docs/commands'

describe('the pages of the commands', () => {
  it('say what the manifest says today (npm run docs)', () => {
    const pages = commandPages(manifest, packageJson.oclif)
    expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort())
    for (const [file, text] of pages) expect(readFileSync(`${folder}/${file}`, 'utf8'), file).toBe(text)
  })

  it('open every command with an example that runs this very command', () => {
    const commands = Object.entries(manifest.commands as Record<string, { hidden?: boolean; examples?: string[] }>)
    const without = commands
      .filter(([, { hidden }]) => !hidden)
      .filter(([, { examples = [] }]) => !examples.some((line) => line.includes('<%= config.bin %>')))
    expect(without.map(([id]) => id)).toEqual([])
  })
})
