import type { Row } from '../../../postgres/index.js'
import type { Backlog, GivenUp } from '../reader.js'

export const backlogByUrl = `
SELECT url, count(*) AS count, extract(epoch FROM now() - min(received_at)) AS seconds
FROM dlv.forwards WHERE state = 'pending' GROUP BY url ORDER BY url`

export const givenUpByUrl = `
SELECT url, count(*) AS count FROM dlv.forwards WHERE state = 'given-up' GROUP BY url ORDER BY url`

export function readGivenUp(rows: readonly Row[]): GivenUp[] {
  return rows.map(({ url, count }) => ({ url: String(url), count: Number(count) }))
}

export function readBacklog(rows: readonly Row[]): Backlog[] {
  return rows.map(({ url, count, seconds }) => ({
    url: String(url),
    count: Number(count),
    oldestSeconds: Math.max(0, Math.round(Number(seconds))),
  }))
}
