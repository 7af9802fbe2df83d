import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const pages = ['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md')]

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

describe('the pages', () => {
  it.each(pages)('%s links to what exists', (page) => {
    expect(deadLinks(page)).toEqual([])
  })
})
