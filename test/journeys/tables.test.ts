import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../oclif.manifest.json' with { type: 'json' }

const site = mkdtempSync(join(tmpdir(), 'dlv-tables-'))
beforeAll(() => {
  execFileSync(process.execPath, ['scripts/site/build.js', site])
})
afterAll(() => rmSync(site, { recursive: true }))

const sources = globSync(['*.md', 'docs/**/*.md'])

/** The cells of a row as GitHub splits it: a bar separates cells in code as well, unless it is escaped. */
const cellsOf = (row: string) =>
  row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

/** The tables of a page: their rows, each with its cells. */
function tablesOf(markdown: string): string[][][] {
  const prose = markdown.replace(/^ *(`{3,}).*\n[\s\S]*?^ *\1 *$/gm, '')
  const tables = prose.matchAll(/^( *\|.*\n) *\|(?: *:?-+:? *\|)+ *\n((?: *\|.*(?:\n|$))*)/gm)
  return [...tables].map(([, head = '', body = '']) => [head, ...body.trimEnd().split('\n')].map(cellsOf))
}

/** Text as a reader sees it. */
const read = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .trim()

const plain = (markdown: string) =>
  read(markdown.replaceAll(/\[((?:[^\][]|\[[^\]]*\])*)\]\([^)]*\)/g, '$1').replaceAll(/<([^>]*)>/g, '&lt;$1&gt;'))
    .replaceAll(/[`*]/g, '')
    .trim()

function renderedTables(source: string): string[][][] {
  const path =
    source === 'README.md' ? 'index.html' : source.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html')
  const html = readFileSync(join(site, path.toLowerCase()), 'utf8')
  return [...html.matchAll(/<table>([\s\S]*?)<\/table>/g)].map(([, table = '']) =>
    [...table.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) => read(cell).replaceAll(/[`*]/g, '')),
    ),
  )
}

describe('The tables of the documentation', () => {
  it.each(sources)('of %s lose no cell as Markdown', (source) => {
    for (const [head = [], ...rows] of tablesOf(readFileSync(source, 'utf8')))
      for (const row of rows) expect(row, row.join(' | ')).toHaveLength(head.length)
  })

  it.each(sources.filter((source) => source !== 'CODE_OF_CONDUCT.md'))('of %s say the same on the site', (source) => {
    const tables = tablesOf(readFileSync(source, 'utf8')).map((rows) => rows.map((row) => row.map(plain)))
    expect(renderedTables(source)).toEqual(tables)
  })
})

interface Flag {
  name: string
  type: string
  summary?: string
  helpValue?: string
  hidden?: boolean
  options?: string[]
  default?: unknown
}

describe('The pages of the commands', () => {
  const commands = manifest.commands as Record<string, { flags: Record<string, Flag>; hidden?: boolean }>
  /** The rows below each heading, such as `dlv deliveries create`. */
  const rows = new Map(
    globSync('docs/commands/*.md').flatMap((source) =>
      readFileSync(source, 'utf8')
        .split(/^## /m)
        .map((section) => [section.slice(0, section.indexOf('\n')), tablesOf(section).flat()] as const),
    ),
  )
  const flags = Object.entries({
    ...commands,
    'Flags of every command': { flags: manifest.globalFlags, hidden: false },
  })
    .map(([id, command]) => [id in commands ? `dlv ${id.replaceAll(':', ' ')}` : id, command] as const)
    .filter(([title, { hidden }]) => !hidden && rows.has(title))
    .flatMap(([title, command]) => Object.values<Flag>(command.flags).map((flag) => [title, flag] as const))
    .filter(([, { hidden }]) => !hidden)

  it('describe each flag whole, with its values and its default, also if its value has alternatives', () => {
    expect(flags.filter(([, { helpValue }]) => helpValue?.includes('|')).length).toBeGreaterThan(15)
    expect(flags.filter(([, flag]) => flag.options).length).toBeGreaterThan(5)
    expect(flags.filter(([, flag]) => flag.default !== undefined).length).toBeGreaterThan(5)
    for (const [title, { name, type, helpValue = 'VALUE', summary = '', options = [], ...flag }] of flags) {
      const value = type === 'option' ? ` ${helpValue}` : ''
      const described = rows
        .get(title)
        ?.filter(([term = '']) => term.replaceAll('[no-]', '').includes(`--${name}${value}\``))
      expect(described, `${title} --${name}`).toHaveLength(1)
      const [text = ''] = described?.map(([, cell]) => cell) ?? []
      expect(text.startsWith(summary), `${title} --${name}: ${text}`).toBe(true)
      expect(text.slice(summary.length).match(/[^\s:,()]+/g) ?? [], `${title} --${name}`).toEqual(
        expect.arrayContaining([...options, ...(flag.default === undefined ? [] : ['default', `${flag.default}`])]),
      )
    }
  })
})
