import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

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

const repository = 'https://github.com/dlv-cli/dlv/blob/main/'

/** The links of a page to files, also those by the address of the repository. */
function linksOf(page: string): string[] {
  const targets = /(?:\]\(|\b(?:src|srcset|href)=")([^)"\s]+)/g
  const links = [...readFileSync(page, 'utf8').matchAll(targets)].map(([, to = '']) => to)
  return links.filter((to) => to.startsWith(repository) || !/^(?:https?|mailto):/.test(to))
}

/** Whether the npm package has a file, or a folder of it; pictures are shown by the registry and the repository. */
function isInPackage(file: string): boolean {
  const has = (pattern: string) => file === pattern || file.startsWith(`${pattern}/`) || matchesGlob(file, pattern)
  const left = manifest.files.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  return manifest.files.some((pattern) => !pattern.startsWith('!') && has(pattern)) && !left.some(has)
}

/** Links to files and headings of the project that lead nowhere. */
function deadLinks(page: string): string[] {
  return linksOf(page).filter((link) => {
    const [path = '', anchor] = link.replace(repository, '/').split('#')
    const file = path === '' ? page : path.startsWith('/') ? path.slice(1) : join(dirname(page), path)
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

  it('that are in the package link to what is in it, or to the repository', () => {
    const packaged = [...pages, 'SECURITY.md'].filter(isInPackage)
    expect(packaged.length).toBeGreaterThan(30)
    const outside = packaged.flatMap((page) =>
      linksOf(page)
        .filter((link) => !link.startsWith(repository) && !link.startsWith('#'))
        .filter((link) => !/\.(?:png|webp|svg)$/.test(link) || (page === 'README.md' && link.endsWith('.svg')))
        .filter((link) => !isInPackage(join(dirname(page), link.replace(/#.*/, ''))))
        .map((link) => `${page}: ${link}`),
    )
    expect(outside).toEqual([])
  })

  it.each(pages)('%s names only files that exist', (page) => {
    expect(pathsIn(readFileSync(page, 'utf8')).filter((path) => !exists(path))).toEqual([])
  })
})
