/** Posts every line of a file with plain undici: no stored keys, no retries, no results. */
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

const [, , baseUrl, file, connections] = process.argv
const bodies = readFileSync(file, 'utf8').split('\n').filter(Boolean)
const { origin, pathname } = new URL(baseUrl)
const pool = new Pool(origin, { connections: Number(connections) })
let next = 0
async function worker() {
  while (next < bodies.length) {
    const index = next++
    const { body } = await pool.request({
      method: 'POST',
      path: `${pathname}/deliveries`,
      headers: {
        authorization: 'Bearer bench',
        'content-type': 'application/json',
        'idempotency-key': `bare-${index}`,
      },
      body: bodies[index],
    })
    await body.json()
  }
}
await Promise.all(Array.from({ length: Number(connections) }, worker))
await pool.close()
