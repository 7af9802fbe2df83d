import { randomBytes } from 'node:crypto'
import type { DlvError } from '../../../contract/index.js'
import { type Connection, codeOf, isPassing } from '../../../postgres/index.js'
import { sleep } from '../../../shared/sleep.js'
import type { JournalFailure } from '../journal.js'
import type { Sessions } from './sessions.js'

/** Interval of the search for a primary. */
const probeEveryMs = 500
/**
 * A probe whose commit waits for a standby is left waiting: each one that was given up would leave its session behind in
 * the server until the standby is back. After this time it is taken for dead.
 */
const hungAfterMs = 60_000

/** SQLSTATE of a full disk. */
const outOfSpace = '53100'

/** Whether writes come back, as far as is known. */
export class Availability {
  readonly #closing = new AbortController()
  #failure: JournalFailure | undefined
  #waiting: (() => void)[] = []
  #isProbing = false
  #isDiskFull = false

  constructor(
    private readonly sessions: Sessions,
    private readonly onFatal: ((failure: DlvError) => void) | undefined,
    private readonly onOutage?: ((failure: DlvError | undefined) => void) | undefined,
  ) {}

  failure(): JournalFailure | undefined {
    return this.#failure
  }

  /** A write was committed. */
  succeeded(): void {
    if (this.#failure?.kind === 'fatal') return
    if (this.#failure !== undefined) this.onOutage?.(undefined)
    this.#failure = undefined
    this.#isDiskFull = false
    this.#release()
  }

  /** Reports a failed write. Starts to look for a primary if the failure may be temporary. */
  failed(error: unknown): void {
    if (this.#failure?.kind === 'fatal' || this.#closing.signal.aborted) return
    const known = this.sessions.errorOf(error)
    this.#isDiskFull ||= codeOf(error) === outOfSpace
    // What nobody but a person can change ends the journal; a password that was changed is put right elsewhere.
    if (isPassing(error) || known.kind === 'connection' || known.name === 'AccessDeniedError') {
      if (this.#failure === undefined) this.onOutage?.(known)
      this.#failure = { kind: 'unavailable', error: known, sinceMs: this.#failure?.sinceMs ?? Date.now() }
      if (!this.#isProbing) void this.#probeUntilUp()
    } else {
      this.#failure = { kind: 'fatal', error: known }
      this.onFatal?.(known)
      this.#release()
    }
  }

  /** Resolves once writes can be tried, at once if nothing is known against it, and when the signal aborts. */
  whenUp(signal?: AbortSignal): Promise<void> {
    if (this.#failure?.kind !== 'unavailable' || this.#closing.signal.aborted || signal?.aborted)
      return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  close(): void {
    this.#closing.abort()
    this.#release()
  }

  #release() {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  async #probeUntilUp() {
    this.#isProbing = true
    let hung: { connection: Connection; sinceMs: number } | undefined
    while (this.#failure?.kind === 'unavailable' && !this.#closing.signal.aborted) {
      if (hung !== undefined && performance.now() - hung.sinceMs > hungAfterMs) hung.connection.destroy()
      if (hung?.connection.isLost() === true) hung = undefined
      const tried = await this.#tryOnce(hung?.connection.server)
      if (tried !== undefined) hung = { connection: tried, sinceMs: performance.now() }
      await sleep(probeEveryMs, this.#closing.signal)
    }
    hung?.connection.destroy()
    this.#isProbing = false
  }

  /** Writes on the primary, unless it is the server that has not answered the last write; returns a session that hangs. */
  async #tryOnce(except: string | undefined): Promise<Connection | undefined> {
    try {
      const connection = await this.sessions.connect('probe')
      if (connection.server === except) connection.destroy()
      else await Promise.race([this.#prove(connection), sleep(3_000, this.#closing.signal)])
      return connection.isLost() ? undefined : connection
    } catch (error) {
      this.failed(error)
      return undefined
    }
  }

  /** Finds out by a session whether writes succeed, and ends it. */
  async #prove(connection: Connection) {
    try {
      if (this.#isDiskFull) await roomProbe(connection)
      await writeProbe(connection, 0)
      this.succeeded()
    } catch (error) {
      this.failed(error)
    }
    connection.destroy()
  }
}

/** Proves that a commit succeeds, with a message in the server's log. */
export async function writeProbe(connection: Connection, timeoutMs?: number): Promise<void> {
  await connection.query("SELECT pg_logical_emit_message(true, 'dlv', 'probe')", [], { isDurable: true, timeoutMs })
}

/** Proves that the disk has room, with rows that are rolled back. */
async function roomProbe(connection: Connection): Promise<void> {
  await connection.query('BEGIN')
  await connection.query(
    "INSERT INTO dlv.conflicts SELECT 'probe', '', now(), '', $1::bytea FROM generate_series(1, 32)",
    [randomBytes(8_000)],
  )
  await connection.query('ROLLBACK')
}
