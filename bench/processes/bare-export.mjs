/** Pages through all events with undici and JSON.parse, and prints each on a line. */
import { once } from 'node:events'
import { Pool } from 'undici'

const { origin, pathname } = new URL(process.argv[2])
const pool = new Pool(origin, { connections: 1 })
let cursor = null
do {
  const query = new URLSearchParams({
    since: '2026-02-20T00:00:00Z',
    limit: '100',
    ...(cursor === null ? {} : { cursor }),
  })
  const { body } = await pool.request({
    method: 'GET',
    path: `${pathname}/events?${query}`,
    headers: { authorization: 'Bearer bench' },
  })
  const page = JSON.parse(await body.text())
  const lines = page.events.map((event) => `${JSON.stringify(event)}\n`).join('')
  if (!process.stdout.write(lines)) await once(process.stdout, 'drain')
  cursor = page.nextCursor
} while (cursor !== null)
await pool.close()
