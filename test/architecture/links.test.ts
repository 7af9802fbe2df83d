import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

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
  const targets = /(?:\]\(|\b(?:src|srcset|href)=")(?!https?:|mailto:)([^)"\s]+)/g
  const links = [...readFileSync(page, 'utf8').matchAll(targets)].map(([, to = '']) => to)
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
