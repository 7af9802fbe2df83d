import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../../oclif.manifest.json' with { type: 'json' }
import { textWidth } from '../../../src/render/plain-text.js'
import { createCli } from '../../support/cli/program.js'

interface Described {
  summary?: string
  description?: string
  hidden?: boolean
  aliases: string[]
  flags: Record<string, { summary?: string; hidden?: boolean }>
}

const all: Record<string, Described> = manifest.commands
const globalFlags: Described['flags'] = manifest.globalFlags
const shown = Object.entries(all).filter(([id, { hidden }]) => {
  const isAlias = Object.values(all).some(({ aliases }) => aliases.includes(id))
  return hidden !== true && !isAlias
})
const width = 50

/** Examples are lines to copy: a terminal may break them, the program does not. */
function isToCopy(line: string): boolean {
  return line.trimStart().startsWith('$') || /^ {2}(?:echo|generate-order|printf|source|yes) /.test(line)
}

describe('help on a narrow terminal', () => {
  const cli = createCli(afterAll)
  const help = new Map<string, string>()

  beforeAll(async () => {
    for (const [id] of shown) {
      const { exitCode, stdout } = await cli.run([...id.split(':'), '--help'], {
        columns: width,
        env: { NO_COLOR: '1' },
      })
      expect(exitCode).toBe(0)
      help.set(id, stdout.replaceAll('\r\n', '\n'))
    }
  })

  it('breaks between words only', () => {
    for (const [id, { summary = '', description = '', flags }] of shown) {
      const text = help.get(id) ?? ''
      const printed = new Set(text.split(/\s+/))
      const summaries = Object.values({ ...globalFlags, ...flags }).map((flag) =>
        flag.hidden ? '' : (flag.summary ?? ''),
      )
      const words = [summary, description, ...summaries].flatMap((sentence) => sentence.split(/\s+/)).filter(Boolean)
      expect(
        words.filter((word) => !printed.has(word) && !text.includes(word)),
        id,
      ).toEqual([])
    }
  })

  it('is not wider than the terminal, but for lines to copy and words that are', () => {
    for (const [id] of shown) {
      const lines = (help.get(id) ?? '').split('\n')
      const wide = lines.filter((line) => textWidth(line) > width && !isToCopy(line) && /\S\s+\S/.test(line.trim()))
      expect(wide, id).toEqual([])
    }
  })

  it('never breaks an example', () => {
    const text = help.get('deliveries:create') ?? ''
    expect(text).toContain('--to "200 Hay St, Fayetteville, NC 28301" --name "Maya Reyes" --phone +19105550123')
  })

  it("shows none of the parser's own words", () => {
    for (const [id] of shown) expect(help.get(id), id).not.toMatch(/<value>|<options|\[default/)
  })

  it('lines the flags up', async () => {
    const { stdout } = await cli.run(['deliveries', 'create', '--help'], { columns: 100, env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(/FLAGS\r?\n {6}--idempotency-key=KEY {2}/)
    expect(stdout).toMatch(/\n {2}-n, --dry-run {14}/)
  })
})
