/** Sends one request many times over 20 connections and prints the rate; `create` makes each body a new order. */
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

const [, , url, kind, count, apiKey, orderFile, run] = process.argv
const { origin, pathname, search } = new URL(url)
const pool = new Pool(origin, { connections: 20 })
const order = orderFile === undefined ? undefined : JSON.parse(readFileSync(orderFile, 'utf8'))
const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' }
let next = 0
let failed = 0
async function worker() {
  while (next < Number(count)) {
    const index = next++
    const request =
      kind === 'create'
        ? {
            method: 'POST',
            headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': `load-${run}-${index}` },
            body: JSON.stringify({ ...order, clientOrderReference: `LOAD-${run}-${index}` }),
          }
        : { method: 'GET', headers }
    const { statusCode, body } = await pool.request({ path: pathname + search, ...request })
    await body.dump()
    if (statusCode >= 300) failed++
  }
}
const began = performance.now()
await Promise.all(Array.from({ length: 20 }, worker))
const seconds = (performance.now() - began) / 1000
await pool.close()
process.stdout.write(`${JSON.stringify({ perSecond: Number(count) / seconds, failed })}\n`)
