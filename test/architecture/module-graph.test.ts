import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { withModuleGraph } from '../../scripts/module-graph.js'

it('docs/architecture.md shows the current imports of the modules (npm run module-graph)', () => {
  const page = readFileSync('docs/architecture.md', 'utf8')
  expect(page).toContain('  commands --> cli\n')
  expect(withModuleGraph(page)).toBe(page)
})
