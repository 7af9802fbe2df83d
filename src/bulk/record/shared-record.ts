import { randomUUID } from 'node:crypto'
import {
  type Connection,
  connectPostgres,
  databaseError,
  isPassing,
  migrate,
  type PostgresAddress,
  parsePostgresAddress,
} from '../../postgres/index.js'
import { sleep } from '../../shared/sleep.js'
import type { Outcome, RowResult } from '../outcome.js'
import type { Claim, OwnClaim, RowIdentity, RunRecord } from './run-record.js'
import {
  beginRun,
  claimRows,
  completeRun,
  concludeRows,
  earlierRun,
  keepClaims,
  outcomesOfRows,
  runId,
  type SharedHeader,
  sharedHeader,
  sharedTables,
  takeEarlierRows,
} from './shared-tables.js'

/** A claim that is not renewed expires after this time, and another process takes over the row. */
const lease = '10 seconds'
const renewalMs = 3_000

/**
 * Opens the record of a run in PostgreSQL, for several processes on the same input.
 *
 * @param address without a password
 * @throws UsageError or ConnectionError if the database cannot be used
 */
export async function openSharedRecord(
  address: string,
  header: SharedHeader,
  environment: NodeJS.ProcessEnv,
): Promise<RunRecord> {
  const place = parsePostgresAddress(address, environment)
  const subject = `The results ${place.shown}`
  const session = new DatabaseSession(place, subject)
  let run = ''
  let round = 1
  try {
    await session.open(async (connection) => {
      await migrate(connection, { ...sharedTables, subject })
      const own = await sharedHeader(connection, header, subject)
      const { operation, owner, input } = own
      run = runId(own)
      const [earlier] = await connection.query(earlierRun, [operation, owner, input, run])
      const [known] = await connection.query('SELECT 1 FROM dlv.bulk_runs WHERE run = $1', [run])
      if (earlier !== undefined && known === undefined)
        await connection.query(takeEarlierRows, [earlier.run, run], { isDurable: true, timeoutMs: 60_000 })
      const [begun] = await connection.query(beginRun, [run, operation, owner, input], { isDurable: true })
      round = Number(begun?.round)
    })
  } catch (error) {
    await session.close()
    throw error
  }
  return new SharedRecord(session, run, round)
}

/**
 * A record that several processes share: each claims rows before it sends them. If the claim of a row expires because its
 * process was killed or stopped, another process takes over the row with the same idempotency key.
 */
class SharedRecord implements RunRecord {
  /** Small, so that rows are left for the other processes. */
  readonly ahead = 16
  readonly #owner = randomUUID()
  readonly #results = new Batch((results: readonly RowResult[]) => this.#writeResults(results))
  readonly #renewal: NodeJS.Timeout
  readonly #bodies = new Map<number, string>()
  #failure: unknown

  constructor(
    private readonly session: DatabaseSession,
    private readonly run: string,
    /** The number of this run, counted from 1: one more than the completed runs of this input. */
    private readonly round: number,
  ) {
    this.#renewal = setInterval(() => {
      this.#noting(this.#query(keepClaims, [run, this.#owner, lease])).catch(() => undefined)
    }, renewalMs)
  }

  async claim(rows: readonly RowIdentity[], serviceMs: number | undefined): Promise<readonly Claim[]> {
    if (this.#failure !== undefined) throw this.#failure
    for (const { row, bodyHash } of rows) this.#bodies.set(row, bodyHash)
    const own = await this.#noting(this.#claimOwn(rows, serviceMs))
    const others = rows.filter(({ row }) => !own.has(row))
    const outcomes = await this.#noting(this.#outcomesOf(others))
    return rows.map(({ row }): Claim => {
      const outcome = outcomes.get(row)
      return own.get(row) ?? (outcome === undefined ? { kind: 'held' } : { kind: 'settled', outcome })
    })
  }

  async #claimOwn(rows: readonly RowIdentity[], serviceMs: number | undefined): Promise<Map<number, OwnClaim>> {
    // In the order of rows, so that two processes never wait for each other.
    const sorted = rows.toSorted((a, b) => a.row - b.row)
    const sentAt = serviceMs === undefined ? null : new Date(serviceMs)
    const claimed = await this.#query(
      claimRows,
      [
        ...[this.run, this.#owner, lease, this.round],
        sorted.map(({ row }) => row),
        sorted.map(({ bodyHash }) => bodyHash),
        sorted.map(({ clientOrderReference }) => clientOrderReference),
        sorted.map(({ idempotencyKey }) => idempotencyKey),
        sorted.map(() => sentAt),
      ],
      { isDurable: true },
    )
    return new Map(claimed.map((found) => [Number(found.row), ownClaim(found)]))
  }

  async #outcomesOf(rows: readonly RowIdentity[]): Promise<Map<number, Outcome>> {
    if (rows.length === 0) return new Map()
    const found = await this.#query(outcomesOfRows, [
      this.run,
      rows.map(({ row }) => row),
      rows.map(({ bodyHash }) => bodyHash),
      this.round,
    ])
    return new Map(
      found.flatMap(({ row, outcome }) => (outcome === null ? [] : [[Number(row), outcome as Outcome] as const])),
    )
  }

  complete(result: RowResult): Promise<void> {
    return this.#noting(this.#results.add(result))
  }

  async #writeResults(results: readonly RowResult[]): Promise<undefined[]> {
    await this.#query(
      concludeRows,
      [
        ...[this.run, this.#owner, this.round, lease],
        results.map(({ row }) => row),
        results.map(({ row }) => this.#bodies.get(row) ?? ''),
        results.map(({ outcome }) => outcome),
        results.map((result) => JSON.stringify(result)),
      ],
      { isDurable: true },
    )
    for (const { row } of results) this.#bodies.delete(row)
    return results.map(() => undefined)
  }

  /** Nothing to flush: results are buffered only while the previous statement runs. */
  flush(): void {}

  async finish(): Promise<void> {
    await this.#noting(this.#query(completeRun, [this.run, this.round]))
  }

  failure(): unknown {
    return this.#failure
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal)
    await this.#results.idle()
    await this.session.close()
  }

  #query(...statement: Parameters<Connection['query']>): ReturnType<Connection['query']> {
    return this.session.run((connection) => connection.query(...statement))
  }

  /** Records the first failure of `work`, after which no more rows are claimed. */
  async #noting<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }
}

function ownClaim(found: Readonly<Record<string, unknown>>): OwnClaim {
  const wasSent = found.resumed === true
  return {
    kind: 'own',
    wasSent,
    sentAtMs: wasSent && found.sent_at instanceof Date ? found.sent_at.getTime() : undefined,
    idempotencyKey: wasSent && typeof found.idempotency_key === 'string' ? found.idempotency_key : undefined,
    clashingRow: () => (found.clash === null ? undefined : Number(found.clash)),
  }
}

/** An item that waits for the next statement. */
interface Waiting<Item, Answer> {
  item: Item
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/** Items that come while a statement is under way share the next one. */
class Batch<Item, Answer> {
  #waiting: Waiting<Item, Answer>[] = []
  #running: Promise<void> | undefined

  /** @param send answers each item, in their order */
  constructor(private readonly send: (items: readonly Item[]) => Promise<readonly Answer[]>) {}

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#running ??= this.#drain()
    })
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #drain(): Promise<void> {
    // What is added in the same turn is written with it.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      try {
        const answers = await this.send(batch.map(({ item }) => item))
        for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#running = undefined
  }
}

/** How long a run waits for an unreachable database: longer than a failover or a restart takes. */
const patienceMs = 30_000
const pauseMs = 250

/** One session at a time with the primary; statements that failed because it went away are sent again to its successor. */
class DatabaseSession {
  #connection: Promise<Connection> | undefined

  constructor(
    private readonly address: PostgresAddress,
    private readonly subject: string,
  ) {}

  /**
   * Runs work that may be run twice.
   *
   * @throws DlvError if the database refuses it, or does not answer for half a minute
   */
  async run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const startedMs = performance.now()
    for (;;) {
      try {
        return await work(await this.#session())
      } catch (error) {
        if (!isPassing(error) || performance.now() - startedMs > patienceMs) throw databaseError(error, this.subject)
        await sleep(pauseMs)
      }
    }
  }

  /** @throws DlvError if the database cannot be reached now */
  async open(prepare: (connection: Connection) => Promise<void>): Promise<void> {
    try {
      await prepare(await this.#session())
    } catch (error) {
      throw databaseError(error, this.subject)
    }
  }

  async #session(): Promise<Connection> {
    const known = await this.#connection?.catch(() => undefined)
    if (known !== undefined && !known.isLost()) return known
    this.#connection = connectPostgres(this.address, { applicationName: 'dlv bulk', isOwn: true })
    return this.#connection
  }

  async close(): Promise<void> {
    const known = await this.#connection?.catch(() => undefined)
    await known?.close()
  }
}
