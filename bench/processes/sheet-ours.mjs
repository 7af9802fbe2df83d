/** Reads the orders of a workbook or CSV as `deliveries create --file` does, and says how many, how long it took and the peak memory. */
import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , app, file] = process.argv
const require = createRequire(join(app, 'package.json'))
const load = (name) => import(pathToFileURL(require.resolve(name)))
const [{ readRows }, { DeliveryCreate }] = await Promise.all([load('dlv-cli/bulk'), load('dlv-cli/contract')])
const started = performance.now()
let rows = 0
for await (const batch of readRows(createReadStream(file), { schema: DeliveryCreate, what: file }))
  for (const row of batch) if ('value' in row) rows++
const ms = performance.now() - started
console.log(JSON.stringify({ rows, ms, peakBytes: process.resourceUsage().maxRSS * 1024 }))
