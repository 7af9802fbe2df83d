/** Writes `dist/openapi.json`, which is `dlv-cli/openapi.json`: the document that `dlv openapi` prints, without spaces. */
import { writeFileSync } from 'node:fs'
import { bundled } from './bundled.js'

const { openApiDocument } = await bundled(
  'openapi',
  `export { openApiDocument } from './src/contract/openapi/index.ts'`,
)
writeFileSync('dist/openapi.json', JSON.stringify(openApiDocument()))
