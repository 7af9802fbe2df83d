import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../oclif.manifest.json' with { type: 'json' }
import { indexed, search } from '../../scripts/site/search.js'
import * as client from '../../src/client/index.js'

const out = mkdtempSync(join(tmpdir(), 'dlv-site-'))
/** The text of HTML. */
const text = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
const read = (path: string) => readFileSync(join(out, path), 'utf8')
beforeAll(() => {
  execFileSync(process.execPath, ['scripts/site/build.js', out])
})
afterAll(() => rmSync(out, { recursive: true }))

/** Links that lead nowhere: to a missing file, or to a missing place in a page. */
function brokenLinks(path: string): string[] {
  return [...read(path).matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:https?|data|mailto):/.test(target))
    .filter((target) => {
      const [file = '', fragment] = target.split('#')
      const found = file === '' ? path : join(dirname(path), file)
      if (!existsSync(join(out, found))) return true
      return fragment !== undefined && fragment !== 'content' && !read(found).includes(`id="${fragment}"`)
    })
    .map((target) => `${path}: ${target}`)
}

describe('The site', () => {
  it('has every page of docs, and no link that leads nowhere', () => {
    const pages = globSync('**/*.html', { cwd: out })
    for (const source of globSync('docs/**/*.md')) {
      const path = source.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html')
      expect(pages).toContain(path)
    }
    expect(pages.flatMap(brokenLinks)).toEqual([])
  })

  it('documents everything that dlv-cli/client exports', () => {
    const page = read('api/client.html')
    expect(Object.keys(client).filter((name) => !page.includes(`id="${name.toLowerCase()}"`))).toEqual([])
  })

  it.each([
    ['How do I install it?', 'docs/standalone.html#install'],
    ['Where do I start?', 'docs/tutorial.html'],
    ['create a delivery', 'docs/commands/deliveries.html#dlv-deliveries-create'],
    ['verify a webhook', 'docs/webhooks.html#verify-a-webhook-by-hand'],
    ['receive webhooks without a public URL', 'docs/webhooks.html#receive-without-a-public-url'],
    ['rotate a secret', 'docs/webhooks.html#rotate-a-secret'],
    ['use the sandbox in my tests', 'docs/guides/testing.html'],
    ['connect an account', 'index.html#connect-an-account'],
    ['exit codes', 'index.html#exit-codes'],
    ['orders from a CSV file', 'docs/cookbook.html'],
    ['run in a container', 'docs/containers.html'],
    ['allow-host containers', 'docs/containers.html#a-network-of-containers'],
    ['startSandbox', 'api/sandbox.html#startsandbox'],
  ])('answers "%s" with its page first', async (question, url) => {
    const { default: MiniSearch } = await import('minisearch')
    const index = MiniSearch.loadJSON<{ url: string }>(read('assets/search-index.json'), indexed)
    const [first] = search(index, question).map((found) => found.url)
    expect(first?.startsWith(url) ? url : first).toBe(url)
  })

  it('begins the reference with what one needs first', () => {
    const firstOf = (entry: string) => /<h2 id="[^"]*">([^<]*)/.exec(read(`api/${entry}.html`))?.[1]
    expect(['client', 'webhooks', 'sandbox', 'testing', 'bulk', 'listener'].map(firstOf)).toEqual([
      'createClient',
      'expressReceiver',
      'startSandbox',
      'useSandbox',
      'run',
      'startListener',
    ])
  })

  it('marks code, and changes none of it', () => {
    const page = read('docs/tutorial.html')
    expect(page).toContain('<span class="code-keyword">import</span> { createServer }')
    expect(page).toContain('<span class="code-string">\'node:http\'</span>')
    for (const source of globSync('docs/**/*.md')) {
      const path = source.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html')
      const plain = (code: string) => code.replaceAll(/^ +/gm, '')
      const shown = read(path).matchAll(/<pre><code[^>]*>([\s\S]*?)<\/code><\/pre>/g)
      const written = readFileSync(source, 'utf8').matchAll(/^ *(`{3,}).*\n([\s\S]*?)^ *\1 *$/gm)
      expect(
        [...shown].map(([, code = '']) => plain(text(code))),
        source,
      ).toEqual([...written].map(([, , code = '']) => plain(code)))
    }
  })

  it('loads nothing from elsewhere', () => {
    for (const path of globSync('**/*.html', { cwd: out }))
      expect(read(path)).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="https?:/)
  })
})

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

const plain = (markdown: string) =>
  text(markdown.replaceAll(/\[((?:[^\][]|\[[^\]]*\])*)\]\([^)]*\)/g, '$1').replaceAll(/<([^>]*)>/g, '&lt;$1&gt;'))
    .replaceAll(/[`*]/g, '')
    .trim()

function renderedTables(source: string): string[][][] {
  const path =
    source === 'README.md' ? 'index.html' : source.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html')
  const html = read(path.toLowerCase())
  return [...html.matchAll(/<table>([\s\S]*?)<\/table>/g)].map(([, table = '']) =>
    [...table.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) =>
        text(cell).replaceAll(/[`*]/g, '').trim(),
      ),
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
      const [told = ''] = described?.map(([, cell]) => cell) ?? []
      expect(told.startsWith(summary), `${title} --${name}: ${told}`).toBe(true)
      expect(told.slice(summary.length).match(/[^\s:,()]+/g) ?? [], `${title} --${name}`).toEqual(
        expect.arrayContaining([...options, ...(flag.default === undefined ? [] : ['default', `${flag.default}`])]),
      )
    }
  })
})
