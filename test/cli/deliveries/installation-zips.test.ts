import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { installationZips } from '../../../scripts/installation-zips.js'

it('the ZIP codes of installations are those of the data today (npm run installation-zips)', () => {
  expect(readFileSync('src/cli/deliveries/installation-zips.generated.ts', 'utf8')).toBe(installationZips())
})
