import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sourceImports } from '../../scripts/source-imports.js'

const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md')].filter(existsSync)

/** The anchor of a heading, as pages of a repository spell it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function anchorsOf(file: string): Set<string> {
  return new Set([...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)))
}

/** Links to files and headings of the project that lead nowhere. */
function deadLinks(page: string): string[] {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, to = '']) => to)
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#')
    const file = path === '' ? page : join(dirname(page), path)
    if (!existsSync(file)) return true
    return anchor !== undefined && !anchorsOf(file).has(anchor)
  })
}

/** Paths of the repository in a text, such as `src/client/client.ts` or `test/soak/`. */
function pathsIn(text: string): string[] {
  const found = text.matchAll(/(?<![\w/.-])(?:src|test|scripts|bench|bin|examples|\.ci)\/[\w./*-]*[\w*/]/g)
  return [...new Set([...found].map(([path]) => path))]
}

const exists = (path: string) => (path.includes('*') ? globSync(path).length > 0 : existsSync(path))

describe('The pages', () => {
  it.each(pages)('%s has no dead links', (page) => {
    expect(deadLinks(page)).toEqual([])
  })

  it.each(pages)('%s names only files that exist', (page) => {
    expect(pathsIn(readFileSync(page, 'utf8')).filter((path) => !exists(path))).toEqual([])
  })
})

describe('The walks through the code in docs/architecture.md', () => {
  const text = readFileSync('docs/architecture.md', 'utf8')
  const walkOf = (name: string) => {
    const [, walk = ''] = new RegExp(`<!-- walk: ${name} -->([\\s\\S]*?)<!-- walk: end -->`).exec(text) ?? []
    return [...walk.matchAll(/^\d+\. `(src\/[^`]+)`/gm)].map(([, file = '']) => file)
  }
  const imports = sourceImports().filter(({ isTypeOnly }) => !isTypeOnly)
  const importersOf = (file: string) => imports.filter(({ target }) => target === file).map((found) => found.file)
  /** Directly or through one other file, such as a module's index or a base class. */
  const reaches = (from: string, to: string) =>
    importersOf(to).some((importer) => importer === from || importersOf(importer).includes(from))

  it.each([
    ['order', 'src/commands/deliveries/create.ts'],
    ['webhook', undefined],
  ])('%s: each file is imported by an earlier one, or together with one', (name, loadedByName) => {
    const walk = walkOf(name)
    expect(walk.length).toBeGreaterThan(5)
    const unreached = walk.filter((file, at) => {
      if (at === 0 || file === loadedByName) return false
      const before = walk.slice(0, at)
      const together = importersOf(file).some((importer) =>
        before.some((earlier) => importersOf(earlier).includes(importer)),
      )
      return !together && !before.some((earlier) => reaches(earlier, file))
    })
    expect(unreached).toEqual([])
  })

  it('reach the socket in at most 15 files, and the journal in at most 8', () => {
    expect(walkOf('order').length).toBeLessThanOrEqual(15)
    expect(walkOf('order').at(-1)).toBe('src/client/transport/plain-exchange.ts')
    const webhook = walkOf('webhook')
    expect(webhook.indexOf('src/listener/journal/sqlite/journal.ts')).toBeGreaterThan(0)
    expect(webhook.indexOf('src/listener/journal/sqlite/journal.ts')).toBeLessThan(8)
  })
})
