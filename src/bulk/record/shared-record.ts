import { hash, randomUUID } from 'node:crypto'
import { connectPostgres, migrate, parsePostgresAddress, refusePooler } from '../../postgres/index.js'
import type { Outcome, RowResult } from '../outcome.js'
import { Batch } from './batch.js'
import { DatabaseSession } from './database-session.js'
import type { Intent, RunHeader } from './run-history.js'
import type { Intended, RunRecord } from './run-record.js'
import {
  beginRun,
  claimRows,
  completeRun,
  concludeRows,
  keepClaims,
  outcomesOfRows,
  sharedTables,
} from './shared-tables.js'

/** A claim that is not renewed runs out after this time, and another process takes the row over. */
const lease = '10 seconds'
const renewalMs = 3_000
/** Rows claimed before there is room to send them: few, so that the others find work as well. */
const claimedAhead = 16

/**
 * The record of a run in PostgreSQL, for several processes on the same input. Each claims rows before it sends them; a
 * row whose claim runs out, because its process was killed or stopped, is taken over under the same idempotency key.
 *
 * @param address without a password
 * @throws UsageError or ConnectionError if the database cannot be used
 */
export async function openSharedRecord(
  address: string,
  header: RunHeader & { input: string },
  environment: NodeJS.ProcessEnv,
): Promise<RunRecord> {
  const place = parsePostgresAddress(address, environment)
  const subject = `The results ${place.shown}`
  const session = new DatabaseSession(place, subject)
  const run = runId(header)
  const owner = randomUUID()
  let round = 1
  try {
    await session.open(async (connection) => {
      await refusePooler(connection, () => connectPostgres(place), subject)
      await migrate(connection, { ...sharedTables, subject })
      const { operation, profile, input } = header
      const [begun] = await connection.query(beginRun, [run, operation, profile, input], { isDurable: true })
      round = Number(begun?.round)
    })
  } catch (error) {
    await session.close()
    throw error
  }
  const clashes = new Map<number, number>()
  let failure: unknown
  const conclusions = new Batch((batch: readonly RowResult[]) => concludeAll(batch))
  const renewal = setInterval(() => {
    void session
      .run((connection) => connection.query(keepClaims, [run, owner, lease]))
      .catch((error: unknown) => {
        failure ??= error
      })
  }, renewalMs)

  async function claimAll(
    intents: readonly Intent[],
    serviceMs: number | undefined,
  ): Promise<(Intended | undefined)[]> {
    // In the order of rows, so that two processes never wait for each other.
    const sorted = [...intents].sort((a, b) => a.row - b.row)
    const sentAt = serviceMs === undefined ? null : new Date(serviceMs)
    const claimed = await session.run((connection) =>
      connection.query(
        claimRows,
        [
          ...[run, owner, lease, round],
          sorted.map(({ row }) => row),
          sorted.map(({ bodyHash }) => bodyHash),
          sorted.map(({ clientOrderReference }) => clientOrderReference),
          sorted.map(({ idempotencyKey }) => idempotencyKey),
          sorted.map(() => sentAt),
        ],
        { isDurable: true },
      ),
    )
    const mine = new Map(claimed.map((found) => [Number(found.row), found]))
    const others = sorted.map(({ row }) => row).filter((row) => !mine.has(row))
    const outcomes = await outcomesOf(others)
    return intents.map(({ row }): Intended | undefined => {
      const found = mine.get(row)
      if (found === undefined) {
        const outcome = outcomes.get(row)
        return outcome === undefined ? { kind: 'elsewhere' } : { kind: 'settled', outcome }
      }
      if (found.clash !== null) clashes.set(row, Number(found.clash))
      if (found.resumed !== true) return undefined
      return {
        kind: 'resumed',
        sentAtMs: found.sent_at instanceof Date ? found.sent_at.getTime() : undefined,
        idempotencyKey: typeof found.idempotency_key === 'string' ? found.idempotency_key : undefined,
      }
    })
  }

  async function outcomesOf(rows: readonly number[]): Promise<Map<number, Outcome>> {
    if (rows.length === 0) return new Map()
    const found = await session.run((connection) => connection.query(outcomesOfRows, [run, rows]))
    return new Map(
      found.flatMap(({ row, outcome }) => (outcome === null ? [] : [[Number(row), outcome as Outcome] as const])),
    )
  }

  async function concludeAll(batch: readonly RowResult[]): Promise<undefined[]> {
    await session.run((connection) =>
      connection.query(
        concludeRows,
        [
          ...[run, owner, round, lease],
          batch.map(({ row }) => row),
          batch.map(({ outcome }) => outcome),
          batch.map((result) => JSON.stringify(result)),
        ],
        { isDurable: true },
      ),
    )
    for (const { row } of batch) clashes.delete(row)
    return batch.map(() => undefined)
  }

  const kept = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      failure ??= error
      throw error
    })

  return {
    ahead: claimedAhead,
    wasComplete: false,
    // Whoever claims a row learns what is known of it.
    stateOf: () => undefined,
    clashOf: (row) => clashes.get(row),
    intend: (intents, serviceMs) =>
      failure === undefined ? kept(claimAll(intents, serviceMs)) : Promise.reject(failure),
    conclude: (result) => kept(conclusions.add(result)),
    // A group waits for nothing but the one before it.
    flush: () => undefined,
    complete: () => kept(session.run((connection) => connection.query(completeRun, [run, round]).then(() => {}))),
    failure: () => failure,
    async close() {
      clearInterval(renewal)
      await conclusions.idle()
      await session.close()
    },
  }
}

/** The same command on another machine is the same run, wherever the input lies there. */
function runId({ operation, profile, input }: RunHeader & { input: string }): string {
  return hash('sha256', JSON.stringify([operation, profile, input]), 'hex').slice(0, 32)
}
