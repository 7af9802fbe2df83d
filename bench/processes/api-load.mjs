/** Sends a request many times over 20 connections and prints the rate. With `create`, each body is a new order. */
import { readFileSync } from 'node:fs'
import { exchange, requestText } from './keep-alive.mjs'

const connections = 20
const [, , address, kind, count, apiKey, orderFile, run] = process.argv
const url = new URL(address)
const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' }
const order = JSON.parse(readFileSync(orderFile, 'utf8'))
const get = Buffer.from(requestText('GET', url, headers))
const create = (index) =>
  requestText(
    'POST',
    url,
    { ...headers, 'content-type': 'application/json', 'idempotency-key': `load-${run}-${index}` },
    JSON.stringify({ ...order, clientOrderReference: `LOAD-${run}-${index}` }),
  )
const requestAt = kind === 'create' ? create : () => get
let failed = 0
const judge = (_, status) => {
  if (status >= 300) failed++
}
// Until the code of this process is compiled it would be the slower side.
const unmeasured = Math.ceil(Number(count) / 5)
await exchange(url, connections, unmeasured, (index) => requestAt(`unmeasured-${index}`), judge)
const seconds = await exchange(url, connections, Number(count), requestAt, judge)
process.stdout.write(`${JSON.stringify({ perSecond: Number(count) / seconds, failed })}\n`)
