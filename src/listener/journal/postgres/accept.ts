import type { DlvError } from '../../../contract/index.js'
import { codeOf, isPassing } from '../../../postgres/index.js'
import { sleep } from '../../../shared/sleep.js'
import type { Appended, JournalEntry } from '../event.js'
import type { Committed } from '../journal.js'
import type { Availability } from './availability.js'
import { byIndex, type KeptSession, keptSession, type Sessions } from './sessions.js'
import { eventKey, nextNumbers, store } from './store.js'

/** Maximum number of events, and of bytes of bodies, per statement; a larger body gets a separate statement. */
const batchEvents = 256
const batchBytes = 8 * 1_048_576
/**
 * How many statements are under way at most, each in a session of its own: while the server carries out one, the next is put
 * together here, and one waits for the disk while another is carried out.
 */
const lanes = 2
/** Fewer events than this wait for the statement under way: each costs the server as much as several events. */
const enoughForAnother = 16
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

/** Takes events, many in one statement: while statements are under way, the events of the next one gather. */
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
  const settings = { ...byIndex, enable_hashjoin: 'on' }
  const free = Array.from({ length: lanes }, () => keptSession(sessions, 'receiver', { settings }))
  const all = [...free]
  const waiting: Waiting[] = []
  const running = new Set<Promise<void>>()
  /** The events of the statements that are under way, by their keys. */
  const underWay = new Set<string>()
  let lastNumbers: Promise<unknown> = Promise.resolve()
  /** Why events are refused until a write has succeeded again. */
  let refusal: DlvError | undefined

  async function commitAll(receiver: KeptSession) {
    // What arrives in the same turn is written together.
    await new Promise((resolve) => setImmediate(resolve))
    for (let batch = nextBatch(waiting, underWay); batch.length > 0; batch = nextBatch(waiting, underWay)) {
      const keys = batch.map(({ entry }) => eventKey(entry))
      for (const key of keys) underWay.add(key)
      await commit(batch, receiver)
      for (const key of keys) underWay.delete(key)
    }
  }

  /** Begins another statement if enough is waiting for one. */
  function proceed() {
    if (running.size > 0 && waiting.length < enoughForAnother) return
    const receiver = free.pop()
    if (receiver === undefined) return
    const run = commitAll(receiver).finally(() => {
      free.push(receiver)
      running.delete(run)
      // Added after this one had looked for the last time; another one that is under way looks again.
      if (running.size === 0 && waiting.length > 0) proceed()
    })
    running.add(run)
  }

  /** Statements that are under way together are carried out in any order: their numbers are taken one after the other. */
  function takeNumbers(count: number, receiver: KeptSession, timeoutMs: number): Promise<readonly number[]> {
    const taken = lastNumbers.then(() => receiver.use((connection) => nextNumbers(connection, count, timeoutMs)))
    lastNumbers = taken.catch(() => {})
    return taken
  }

  /** Commits a batch and tells its senders, whatever happens. */
  async function commit(batch: readonly Waiting[], receiver: KeptSession): Promise<void> {
    const entries = batch.map(({ entry }) => entry)
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    const remainingMs = () => Math.min(attemptMs, Math.max(leastMs, answeredWithinMs - elapsed()))
    let numbers: readonly number[] | undefined
    for (let attempt = 0; ; attempt++) {
      try {
        const taken = numbers ?? (await takeNumbers(batch.length, receiver, remainingMs()))
        numbers = taken
        const { appended, forwards } = await receiver.use((connection) =>
          store(connection, entries, { numbers: taken, isAgain: attempt > 0, remainingMs }),
        )
        state.succeeded()
        onCommitted({ seconds: elapsed() / 1000, events: batch.length }, forwards > 0)
        for (const [at, { resolve }] of batch.entries()) resolve(appended[at] as Appended)
        return
      } catch (error) {
        if (isOfData(error)) return isolate(batch, receiver, error)
        const isHopeless = !isPassing(error) || codeOf(error)?.startsWith('53') === true
        if (elapsed() >= retriedForMs || isHopeless) return giveUp(batch, error)
        await sleep(Math.min(50 * 2 ** attempt, 400))
      }
    }
  }

  /** Tells the senders of a failed batch, and of all that wait behind it, to retry. */
  function giveUp(batch: readonly Waiting[], error: unknown) {
    state.failed(error)
    const known = sessions.errorOf(error)
    refusal = known
    void state.whenUp().then(() => {
      if (state.failure() === undefined) refusal = undefined
    })
    for (const { reject } of [...batch, ...waiting.splice(0)]) reject(known)
  }

  /** One event that the database cannot store must not keep the others out. */
  async function isolate(batch: readonly Waiting[], receiver: KeptSession, error: unknown) {
    const [only] = batch
    if (batch.length === 1) only?.reject(sessions.errorOf(error))
    else for (const one of batch) await commit([one], receiver)
  }

  return {
    append(entry) {
      const failure = state.failure()
      if (failure?.kind === 'fatal') return Promise.reject(failure.error)
      if (refusal !== undefined) return Promise.reject(refusal)
      return new Promise((resolve, reject) => {
        waiting.push({ entry, resolve, reject })
        proceed()
      })
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
    async close() {
      await Promise.all(all.map((receiver) => receiver.close()))
    },
  }
}

/** Takes the next events off a queue, none that is under way: a repetition has to come after the first is known. */
function nextBatch(waiting: Waiting[], underWay: ReadonlySet<string>): Waiting[] {
  const keys = new Set<string>()
  let bytes = 0
  for (const { entry } of waiting) {
    bytes += entry.body.length
    const key = eventKey(entry)
    if (keys.size === batchEvents || keys.has(key) || underWay.has(key) || (keys.size > 0 && bytes > batchBytes)) break
    keys.add(key)
  }
  return waiting.splice(0, keys.size)
}

/** Class 22: the value cannot be stored; 54: it is too large. */
function isOfData(error: unknown): boolean {
  return /^(?:22|54)/.test(codeOf(error) ?? '')
}
