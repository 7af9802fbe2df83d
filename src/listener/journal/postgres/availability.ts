import { randomBytes } from 'node:crypto'
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
export interface Availability {
  /** A write was committed. */
  succeeded(): void
  /** Reports a failed write. Starts to look for a primary if the failure may be temporary. */
  failed(error: unknown): void
  /** Resolves once writes can be tried, at once if nothing is known against it, and when the signal aborts. */
  whenUp(signal?: AbortSignal): Promise<void>
  isUp(): boolean
  failure(): JournalFailure | undefined
  close(): void
}

export function availability(
  sessions: Sessions,
  onFatal: (failure: Extract<JournalFailure, { kind: 'fatal' }>) => void,
): Availability {
  const closing = new AbortController()
  let failure: JournalFailure | undefined
  let waiting: (() => void)[] = []
  let isProbing = false
  let isDiskFull = false

  const succeeded = () => {
    if (failure?.kind === 'fatal') return
    failure = undefined
    isDiskFull = false
    for (const resolve of waiting.splice(0)) resolve()
  }

  async function probeUntilUp() {
    let hung: { connection: Connection; sinceMs: number } | undefined
    while (failure?.kind === 'unavailable' && !closing.signal.aborted) {
      if (hung?.connection.isLost() === true) hung = undefined
      if (hung !== undefined && performance.now() - hung.sinceMs > hungAfterMs) {
        hung.connection.destroy()
        hung = undefined
      }
      const tried = await tryOnce(hung?.connection.server)
      if (tried !== undefined) hung = { connection: tried, sinceMs: performance.now() }
      await sleep(probeEveryMs, closing.signal)
    }
    hung?.connection.destroy()
  }

  /** Writes on the primary, unless it is the server that has not answered the last write; returns a session that hangs. */
  async function tryOnce(except: string | undefined): Promise<Connection | undefined> {
    let connection: Connection
    try {
      connection = await sessions.connect('probe')
    } catch (error) {
      failed(error)
      return undefined
    }
    if (connection.server === except) {
      connection.destroy()
      return undefined
    }
    const written = proof(connection).then(
      () => {
        succeeded()
        connection.destroy()
      },
      (error: unknown) => {
        failed(error)
        connection.destroy()
      },
    )
    await Promise.race([written, sleep(3_000, closing.signal)])
    return connection.isLost() ? undefined : connection
  }

  async function proof(connection: Connection) {
    if (isDiskFull) await roomProbe(connection)
    await writeProbe(connection, 0)
  }

  function failed(error: unknown) {
    if (failure?.kind === 'fatal' || closing.signal.aborted) return
    const known = sessions.errorOf(error)
    isDiskFull ||= codeOf(error) === outOfSpace
    // What nobody but a person can change ends the journal; a password that was changed is put right elsewhere.
    if (isPassing(error) || known.kind === 'connection' || known.name === 'AccessDeniedError') {
      failure = { kind: 'unavailable', error: known, sinceMs: failure?.sinceMs ?? Date.now() }
    } else {
      failure = { kind: 'fatal', error: known }
      onFatal(failure)
      for (const resolve of waiting.splice(0)) resolve()
      return
    }
    if (isProbing) return
    isProbing = true
    void probeUntilUp().finally(() => {
      isProbing = false
    })
  }

  return {
    succeeded,
    failed,
    isUp: () => failure === undefined,
    whenUp(signal) {
      if (failure?.kind !== 'unavailable' || closing.signal.aborted || signal?.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        waiting.push(resolve)
        signal?.addEventListener('abort', () => resolve(), { once: true })
      })
    },
    failure: () => failure,
    close() {
      closing.abort()
      for (const resolve of waiting) resolve()
      waiting = []
    },
  }
}

/** Proves that a commit succeeds, with a message in the server's log. */
export async function writeProbe(connection: Connection, timeoutMs?: number): Promise<void> {
  await connection.query("SELECT pg_logical_emit_message(true, 'dlv', 'probe')", [], { isDurable: true, timeoutMs })
}

/** Proves that the disk has room, with rows that are rolled back. */
async function roomProbe(connection: Connection): Promise<void> {
  await connection.query('BEGIN')
  await connection.query("INSERT INTO dlv.conflicts SELECT 'probe', now(), '', $1::bytea FROM generate_series(1, 32)", [
    randomBytes(8_000),
  ])
  await connection.query('ROLLBACK')
}
