import type { DlvError } from '../../../contract/index.js'
import { codeOf, isPassing } from '../../../postgres/index.js'
import { sleep } from '../../../shared/sleep.js'
import type { Appended, JournalEntry } from '../event.js'
import type { Committed } from '../journal.js'
import type { Availability } from './availability.js'
import { byIndex, keptSession, type Sessions } from './sessions.js'
import { type Batch, batchOf, eventKey, store } from './store.js'

/** Maximum number of events, and of bytes of bodies, per statement; a larger body gets a separate statement. */
const batchEvents = 256
const batchBytes = 8 * 1_048_576
/** Until when a batch is tried again before its senders are told to come again, and when the last try has to be over. */
const retriedForMs = 7_000
const answeredWithinMs = 9_000
const attemptMs = 3_000
const leastMs = 500

/** An event whose sender waits for an answer. */
interface Waiting {
  entry: JournalEntry
  resolve(appended: Appended): void
  reject(error: unknown): void
}

/** The first events that wait, and what they are stored by. */
interface PreparedBatch {
  of: readonly Waiting[]
  batch: Batch
}

/** Takes events, many in one statement: while one statement is under way, the events of the next one gather. */
export interface Accept {
  append(entry: JournalEntry): Promise<Appended>
  /** Resolves once nothing is being written. */
  idle(): Promise<void>
  close(): Promise<void>
}

export function openAccept(
  sessions: Sessions,
  state: Availability,
  onCommitted: (committed: Committed, hasForwards: boolean) => void,
): Accept {
  const receiver = keptSession(sessions, 'receiver', { settings: { ...byIndex, enable_hashjoin: 'on' } })
  const waiting: Waiting[] = []
  let running: Promise<void> | undefined
  let ready: PreparedBatch | undefined
  /** Why events are refused until a write has succeeded again. */
  let refusal: DlvError | undefined

  async function commitAll() {
    // What arrives in the same turn is written together.
    await turn()
    let tell = () => {}
    for (let next = prepared(); next !== undefined; next = prepared()) {
      waiting.splice(0, next.of.length)
      ready = undefined
      const committed = commit(next)
      // The database works on a batch while the senders of the one before are told, and the next one is made ready.
      await turn()
      tell()
      await turn()
      if (waiting.length >= batchEvents) prepared()
      tell = await committed
    }
    tell()
    running = undefined
  }

  /** The next batch; the same one until something else is first. */
  function prepared(): PreparedBatch | undefined {
    if (waiting.length === 0) return undefined
    if (ready === undefined || ready.of[0] !== waiting[0]) {
      const of = nextBatch(waiting)
      ready = { of, batch: batchOf(of.map(({ entry }) => entry)) }
    }
    return ready
  }

  /** Commits a batch, whatever happens; resolves with what tells its senders. */
  async function commit(prepared: PreparedBatch): Promise<() => void> {
    const { of, batch } = prepared
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    const remainingMs = () => Math.min(attemptMs, Math.max(leastMs, answeredWithinMs - elapsed()))
    for (let attempt = 0; ; attempt++) {
      try {
        const { appended, forwards } = await receiver.use((connection) =>
          store(connection, batch, { isAgain: attempt > 0, remainingMs }),
        )
        state.succeeded()
        onCommitted({ seconds: elapsed() / 1000, events: of.length }, forwards > 0)
        return () => {
          for (const [at, { resolve }] of of.entries()) resolve(appended[at] as Appended)
        }
      } catch (error) {
        if (isOfData(error)) return isolate(of, error)
        const isHopeless = !isPassing(error) || codeOf(error)?.startsWith('53') === true
        if (elapsed() >= retriedForMs || isHopeless) return giveUp(of, error)
        await sleep(Math.min(50 * 2 ** attempt, 400))
      }
    }
  }

  /** Tells the senders of a failed batch, and of all that wait behind it, to retry. */
  function giveUp(batch: readonly Waiting[], error: unknown): () => void {
    state.failed(error)
    const known = sessions.errorOf(error)
    refusal = known
    void state.whenUp().then(() => {
      if (state.failure() === undefined) refusal = undefined
    })
    const refused = [...batch, ...waiting.splice(0)]
    return () => {
      for (const { reject } of refused) reject(known)
    }
  }

  /** One event that the database cannot store must not keep the others out. */
  async function isolate(batch: readonly Waiting[], error: unknown): Promise<() => void> {
    const [only] = batch
    if (batch.length === 1) return () => only?.reject(sessions.errorOf(error))
    for (const one of batch) (await commit({ of: [one], batch: batchOf([one.entry]) }))()
    return () => {}
  }

  return {
    append(entry) {
      const failure = state.failure()
      if (failure?.kind === 'fatal') return Promise.reject(failure.error)
      if (refusal !== undefined) return Promise.reject(refusal)
      return new Promise((resolve, reject) => {
        waiting.push({ entry, resolve, reject })
        running ??= commitAll()
      })
    },
    idle: async () => running,
    close: () => receiver.close(),
  }
}

/** A turn of the event loop, in which all that had arrived is seen. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The next events of a queue, each once: a repetition in the same statement would not see the first. */
function nextBatch(waiting: readonly Waiting[]): Waiting[] {
  const keys = new Set<string>()
  let bytes = 0
  for (const { entry } of waiting) {
    bytes += entry.body.length
    const key = eventKey(entry)
    if (keys.size === batchEvents || keys.has(key) || (keys.size > 0 && bytes > batchBytes)) break
    keys.add(key)
  }
  return waiting.slice(0, keys.size)
}

/** Class 22: the value cannot be stored; 54: it is too large. */
function isOfData(error: unknown): boolean {
  return /^(?:22|54)/.test(codeOf(error) ?? '')
}
