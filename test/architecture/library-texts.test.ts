import { globSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, it } from 'vitest'
import { inFlags } from '../../src/cli/errors/flag-words.js'

/** The modules that a program may import, and what they say errors with. */
const published = 'src/{contract,client,bulk,webhooks,listener,sandbox,testing,sent}/**/*.ts'
const saysErrors = ['src/shared/node-errors.ts', 'src/shared/word-match.ts', 'src/shared/dlv-error.ts']

/** Flags of other programs, which are printed as commands or advice for them. */
const ofOthers = /--(?:disable-warning|data-raw|data-binary|globoff|include|request)\b/g
const topics =
  'agent|alias|api|completion|deliveries|doctor|drift|drivers|events|explain|health|installations|map|mcp|profiles|query|quotes|report|sandbox|simulate|sync|teams|tour|ui|webhooks'
const ofCommandLine = new RegExp(`(?:^|[\\s(\`"'])(?:--[a-z][a-z-]+|dlv (?:${topics})\\b)`)

/** The texts of a file, with the lines that they begin on. */
function textsOf(file: string): { line: number; text: string }[] {
  const source = readFileSync(file, 'utf8')
  const texts: { line: number; text: string }[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, value, start } = node as { type?: string; value?: unknown; start?: number }
    const text =
      type === 'Literal' ? value : type === 'TemplateElement' ? (value as { cooked: string }).cooked : undefined
    if (typeof text === 'string') texts.push({ line: source.slice(0, start).split('\n').length, text })
    for (const part of Object.values(node)) visit(part)
  }
  visit(parseAst(source, { lang: 'ts' }, file).body)
  return texts
}

describe('Texts of a published library', () => {
  it('name options and operations, not flags and commands', () => {
    const files = [...globSync(published), ...saysErrors].filter(
      (file) => !/\.generated\.|\.d\.ts$|sandbox\/pages\//.test(file),
    )
    expect(files.length).toBeGreaterThan(300)
    const found = files.flatMap((file) =>
      textsOf(file)
        .filter(({ text }) => ofCommandLine.test(text.replaceAll(ofOthers, '')))
        .map(({ line, text }) => `${file}:${line} ${text}`),
    )
    expect(found).toEqual([])
  })

  it('are said in flags and commands by the command line', () => {
    const said = [
      ['{ newKey: true } dispatches it again.', '--new-key dispatches it again.'],
      ['Save it, or give { encoding: "windows-1252" }.', 'Save it, or give --encoding windows-1252.'],
      ['Begin one with { journal: "/a b/c.new" }.', "Begin one with --journal '/a b/c.new'."],
      [
        '{ hiddenRows: "skip" } leaves them out; { sheet } names one.',
        '--hidden skip leaves them out; --sheet names one.',
      ],
      ['{ port: 0 } takes a free one.', '--port 0 takes a free one.'],
      ['Join with { columns: { "First+Second": "dropoff.name" } }.', 'Join with --map "First+Second=dropoff.name".'],
      ['Allow it with { allowedHosts: ["a.example"] }.', 'Allow it with --allow-host a.example.'],
      ['Next: getDelivery("del_01ABC")', 'Next: dlv deliveries get del_01ABC'],
      ['Look with listDeliveries({ from: "7d" }).', 'Look with dlv deliveries list --from 7d.'],
      ['The order has { "name": 1 } and f("x").', 'The order has { "name": 1 } and f("x").'],
    ]
    for (const [text = '', flags] of said) expect(inFlags(text)).toBe(flags)
  })
})
