import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { withHistory } from '../../scripts/history-docs.js'
import { archiveSchema } from '../../src/archive/index.js'

it('docs/history.md names every table and column of the archive (npm run history-docs)', async () => {
  const page = readFileSync('docs/history.md', 'utf8')
  for (const { name, columns } of archiveSchema()) {
    const section = page.split(`\n### ${name}\n`)[1]?.split('\n### ')[0] ?? ''
    expect([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, column]) => column)).toEqual(
      columns.map((column) => column.name),
    )
  }
  expect(await withHistory(page)).toBe(page)
})
