import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
