import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { runNode } from '../support/library/run-node.js'

const require = createRequire(import.meta.url)

it('dlv-cli/openapi.json is what dlv openapi prints, by import and by require', async () => {
  const { stdout } = await createCli().run(['openapi'])
  const printed: unknown = JSON.parse(stdout)
  expect(require('dlv-cli/openapi.json')).toEqual(printed)
  const program = `import document from 'dlv-cli/openapi.json' with { type: 'json' }
    console.log(JSON.stringify(document))`
  const imported = await runNode(['--input-type=module', '--eval', program])
  expect(JSON.parse(imported.stdout)).toEqual(printed)
})

it('dlv-cli/openapi.json has no spaces', () => {
  const text = readFileSync(require.resolve('dlv-cli/openapi.json'), 'utf8')
  expect(text).toBe(JSON.stringify(JSON.parse(text)))
})
