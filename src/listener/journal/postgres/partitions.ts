import { type Connection, inTransaction } from '../../../postgres/index.js'
import { dayMs } from '../../../shared/durations.js'

const partitioned = ['events', 'forwards'] as const
/** Days for which partitions are made ahead. */
const daysAhead = 7
/** Only one process at a time looks after the days; any number will do. */
const lock = 0x646c7644

/** Makes the partitions of the next days, and drops the days that are older than the retention as a whole. */
export async function keepPartitions(connection: Connection, retentionDays: number, nowMs: number): Promise<void> {
  const patient = { timeoutMs: 60_000 }
  const [found] = await connection.query(`SELECT pg_try_advisory_lock(${lock}, 0) AS locked`)
  if (found?.locked !== true) return
  try {
    const oldestMs = nowMs - retentionDays * dayMs
    const oldest = dayOf(oldestMs)
    for (const table of partitioned) {
      const days = await daysOf(connection, table)
      for (let ahead = -1; ahead <= daysAhead; ahead++) await addDay(connection, table, days, nowMs + ahead * dayMs)
      for (const day of days) if (day < oldest) await dropDay(connection, table, day)
    }
    // Ids go with their events: an event that is listed is found by its id, and a repetition of it is known.
    const before = [startOfDay(oldestMs)]
    for (const table of [...partitioned.map((name) => `${name}_default`), 'conflicts', 'ids'])
      await connection.query(`DELETE FROM dlv.${table} WHERE received_at < $1`, before, patient)
  } finally {
    if (!connection.isLost()) await connection.query(`SELECT pg_advisory_unlock(${lock}, 0)`)
  }
}

/** The days that have a partition, as `20260302`. */
async function daysOf(connection: Connection, table: string): Promise<Set<string>> {
  const rows = await connection.query(
    `SELECT substring(c.relname FROM '_([0-9]{8})$') AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = $1::regclass`,
    [`dlv.${table}`],
  )
  return new Set(rows.flatMap(({ day }) => (typeof day === 'string' ? [day] : [])))
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')
}

function startOfDay(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 10)} 00:00:00+00`
}

async function addDay(connection: Connection, table: string, days: ReadonlySet<string>, ms: number): Promise<void> {
  const day = dayOf(ms)
  if (days.has(day)) return
  const bound = (at: number) => `'${startOfDay(at)}'`
  const name = `dlv.${table}_${day}`
  await ifUnlocked(connection, [
    `CREATE TABLE ${name} (LIKE dlv.${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    `ALTER TABLE dlv.${table} ATTACH PARTITION ${name} FOR VALUES FROM (${bound(ms)}) TO (${bound(ms + dayMs)})`,
  ])
}

async function dropDay(connection: Connection, table: string, day: string): Promise<void> {
  const name = `dlv.${table}_${day}`
  await ifUnlocked(connection, [`ALTER TABLE dlv.${table} DETACH PARTITION ${name}`, `DROP TABLE ${name}`])
}

/**
 * In one transaction, or not at all: if somebody holds a lock, another process was faster, or the default partition has
 * rows of that day already, which stay there.
 */
async function ifUnlocked(connection: Connection, statements: readonly string[]): Promise<void> {
  // A table that somebody reads is left for the next time, rather than keep everybody behind it waiting.
  const options = { timeoutMs: 60_000, settings: { lock_timeout: '1s' } }
  try {
    await inTransaction(connection, options, async () => {
      for (const statement of statements) await connection.query(statement, [], options)
    })
  } catch (error) {
    if (connection.isLost()) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    // Lock not available, table exists already, rows in the default partition.
    if (!['55P03', '42P07', '23514'].includes(code)) throw error
  }
}
