import { type Connection, inTransaction } from '../../../postgres/index.js'
import { targetName, targetsMeant } from '../../../shared/target-name.js'
import type { Backlog, GivenUp, JournalTarget } from '../reader.js'
import { sameUrls } from '../shown-targets.js'
import { eventTypeOf, isNamed, ofAccounts, shardOfAccounts } from './schema.js'
import { inJournal } from './sessions.js'

const backlogByUrl = `
SELECT url, count(*) AS count, extract(epoch FROM now() - min(received_at)) AS seconds
FROM dlv.forwards WHERE state = 'pending' AND ${shardOfAccounts('$1')} GROUP BY url ORDER BY url`

const givenUpByUrl = `
SELECT url, count(*) AS count FROM dlv.forwards WHERE state = 'given-up' AND ${shardOfAccounts('$1')}
GROUP BY url ORDER BY url`

/** Millions may wait. */
const patient = { timeoutMs: 30_000 }

/** The forwards that wait, for each target. */
export async function readBacklog(connection: Connection, accounts: readonly string[] | null): Promise<Backlog[]> {
  const rows = await connection.query({ name: 'backlog', text: backlogByUrl }, [accounts], patient)
  return rows.map(({ url, count, seconds }) => ({
    url: String(url),
    count: Number(count),
    oldestSeconds: Math.max(0, Math.round(Number(seconds))),
  }))
}

/** The forwards that were given up, for each target. */
export async function readGivenUp(connection: Connection, accounts: readonly string[] | null): Promise<GivenUp[]> {
  const rows = await connection.query(givenUpByUrl, [accounts], patient)
  return rows.map(({ url, count }) => ({ url: String(url), count: Number(count) }))
}

const named = `
SELECT url, array_agg(DISTINCT pattern ORDER BY pattern) AS patterns, max(named_at) AS named_at, bool_or(${isNamed}) AS active
FROM dlv.targets t WHERE ${ofAccounts('t', '$1')} GROUP BY url`

/** The targets that forwarders have named, and those forgotten for which events still wait. */
export async function readTargets(
  connection: Connection,
  accounts: readonly string[] | null,
): Promise<JournalTarget[]> {
  const known = await connection.query(named, [accounts])
  const backlog = await readBacklog(connection, accounts)
  const givenUp = await readGivenUp(connection, accounts)
  const urls = new Set([...known, ...backlog].map(({ url }) => String(url)))
  return [...urls].toSorted().map((url) => {
    const target = known.find((one) => one.url === url)
    const waiting = backlog.find((one) => one.url === url)
    return {
      url: targetName(url),
      eventTypes: Array.isArray(target?.patterns) ? target.patterns.map(String).map(eventTypeOf) : [],
      namedAt: target?.named_at instanceof Date ? target.named_at.toISOString() : null,
      active: target?.active === true,
      pending: waiting?.count ?? 0,
      oldestSeconds: waiting?.oldestSeconds ?? null,
      givenUp: givenUp.find((one) => one.url === url)?.count ?? 0,
    }
  })
}

const remove = `
WITH forgotten AS (
  DELETE FROM dlv.targets t WHERE url = ANY($1::text[]) AND ${ofAccounts('t', '$2')}
), given_up AS (
  UPDATE dlv.forwards SET state = 'given-up', finished_at = now() WHERE url = ANY($1::text[]) AND state = 'pending'
    AND ${shardOfAccounts('$2')} RETURNING 1
)
SELECT count(*) AS count FROM given_up`

/** Millions may wait for a target that is away for good. */
const removedWithinMs = 600_000

/** Forgets a target, named as it is shown, and gives up what waits for it; returns how many events. */
export async function removePostgresTarget(
  text: string,
  url: string,
  env: NodeJS.ProcessEnv,
  accounts: readonly string[] | null = null,
): Promise<number> {
  return inJournal(text, env, async (connection) => {
    const known = await connection.query(
      "SELECT url FROM dlv.targets UNION SELECT url FROM dlv.forwards WHERE state = 'pending'",
    )
    const urls = targetsMeant(
      url,
      known.map((row) => String(row.url)),
    )
    return inTransaction(connection, { isDurable: true, timeoutMs: removedWithinMs }, async () => {
      const [row] = await connection.query(remove, [urls, accounts], { timeoutMs: removedWithinMs })
      return Number(row?.count)
    })
  })
}

/** Records that an event which was given up for a target has reached it after all. */
export async function recordPostgresResend(connection: Connection, seq: number, url: string): Promise<void> {
  const known = await connection.query("SELECT url FROM dlv.forwards WHERE seq = $1 AND state = 'given-up'", [seq])
  const urls = sameUrls(
    url,
    known.map((row) => String(row.url)),
  )
  if (urls.length === 0) return
  const update = `UPDATE dlv.forwards SET state = 'delivered', finished_at = now()
     WHERE seq = $1 AND url = ANY($2::text[]) AND state = 'given-up'`
  // The session may be one that others write with at the same time: one statement is a transaction, too.
  if (connection.isOwn) await connection.query(update, [seq, urls], { isDurable: true })
  else await inTransaction(connection, { isDurable: true }, () => connection.query(update, [seq, urls]))
}
