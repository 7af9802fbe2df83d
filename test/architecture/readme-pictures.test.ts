import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const readme = readFileSync('README.md', 'utf8')
const [beginning = ''] = readme.split(/^## /m)

it('README.md begins with the page, light and dark, and a terminal, each with a description', () => {
  const files = [...beginning.matchAll(/(?:srcset|src)="([^"]+\.png)"/g)].map(([, file]) => String(file))
  expect(files).toEqual(['docs/pictures/page-dark.png', 'docs/pictures/page-light.png'])
  expect(beginning).toMatch(/<source media="\(prefers-color-scheme: dark\)"[^>]*>\s*<img [^>]*alt="[^"]{20,}"/)
  for (const file of files) {
    const png = readFileSync(file)
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect(png.readUInt32BE(16)).toBeGreaterThanOrEqual(600)
    expect(png.readUInt32BE(20)).toBeGreaterThanOrEqual(600)
    expect(png.length).toBeLessThan(400_000)
  }
  const [, alt = '', terminal = ''] = /!\[([^\]]+)\]\(([^)]+\.svg)\)/.exec(beginning) ?? []
  expect(alt.length).toBeGreaterThan(20)
  const svg = readFileSync(terminal, 'utf8')
  expect(svg).toContain('dlv webhooks listen')
  expect(svg).toContain('dlv deliveries watch')
})
