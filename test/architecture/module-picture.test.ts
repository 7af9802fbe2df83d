import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { modulePicture } from '../../scripts/module-picture.js'

it('The picture of the modules shows the imports as they are today', () => {
  expect(modulePicture(), 'run npm run picture').toBe(readFileSync('docs/modules.svg', 'utf8'))
})
