import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as client from '../../src/client/index.js'

const out = mkdtempSync(join(tmpdir(), 'dlv-site-'))
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

  it('finds a section by its words', async () => {
    const { default: MiniSearch } = await import('minisearch')
    const index = MiniSearch.loadJSON<{ url: string }>(read('assets/search-index.json'), {
      fields: ['title', 'text'],
      storeFields: ['title', 'page', 'url'],
    })
    const found = index.search('allow-host containers', { combineWith: 'AND' }).map(({ url }) => url)
    expect(found).toContain('docs/containers.html#a-network-of-containers')
  })

  it('loads nothing from elsewhere', () => {
    for (const path of globSync('**/*.html', { cwd: out }))
      expect(read(path)).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="https?:/)
  })
})
