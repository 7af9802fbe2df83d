import type { DlvError } from '../../../contract/index.js'
import { codeOf, isPassing } from '../../../postgres/index.js'
import { sleep } from '../../../shared/sleep.js'
import type { Appended, JournalEntry } from '../event.js'
import type { Committed } from '../journal.js'
import type { Availability } from './availability.js'
import { type Batch, openBatch, type Waiting } from './batch.js'
import { byIndex, type KeptSession, keptSession, type Sessions } from './sessions.js'
import { idIsKnown, store } from './store.js'

/** Until when a batch is tried again before its senders are told to come again, and when the last try has to be over. */
const retriedForMs = 7_000
const answeredWithinMs = 9_000
const attemptMs = 3_000
const leastMs = 500
/**
 * To look which ids are known takes the server two microseconds for each. A batch of so many is stored without, and
 * again with it if one was; then all are for a while, for repetitions come many together.
 */
const uncheckedEvents = 32
const checkedForMs = 10_000

/** Takes events, many in one statement. */
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
  /** The second one is opened by the first flood. */
  const receivers = [1, 2].map(() => keptSession(sessions, 'receiver', { settings: byIndex }))
  const idle = [...receivers]
  const underWay = new Map<Batch, Promise<void>>()
  /** Forms while others are under way; what it has no room for follows in the order of arrival. */
  let next = openBatch()
  /** Memory of batches that are on disk. */
  const spare: Batch[] = []
  let behind: Waiting[] = []
  let starting: Promise<void> | undefined
  let checkedUntilMs = 0
  /** Why nothing is taken until a write has succeeded again. */
  let refusal: DlvError | undefined

  /** Starts what can be under way at once. Events of one delivery are not: they are numbered in the order of arrival. */
  function start() {
    while (isDue()) {
      const session = idle.pop() as KeptSession
      const batch = takeNext()
      underWay.set(batch, write(batch, session))
    }
  }

  function isDue(): boolean {
    if (next.waiting.length === 0 || idle.length === 0) return false
    if (underWay.size === 0) return true
    return next.isLarge() && [...underWay.keys()].every((batch) => next.isApartFrom(batch))
  }

  async function write(batch: Batch, session: KeptSession) {
    const acknowledge = await commit(batch, session)
    underWay.delete(batch)
    idle.push(session)
    // The database works while the senders are answered, and what they send next is taken.
    start()
    if (acknowledge === undefined) return
    if (underWay.size > 0) setImmediate(acknowledge)
    else acknowledge()
  }

  function takeNext(): Batch {
    const batch = next
    next = spare.pop() ?? openBatch()
    let isFull = false
    behind = behind.filter((one) => {
      const took = isFull ? 'full' : next.take(one)
      isFull = took === 'full'
      return took !== 'taken'
    })
    return batch
  }

  /** Returns what tells the senders, unless they were told already that it failed. */
  async function commit(batch: Batch, session: KeptSession): Promise<(() => void) | undefined> {
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    const remainingMs = () => Math.min(attemptMs, Math.max(leastMs, answeredWithinMs - elapsed()))
    let mayBeCommitted = false
    for (let attempt = 0; ; attempt++) {
      try {
        const isSmall = batch.waiting.length < uncheckedEvents
        const { appended, forwards, hasKnown } = await session.use((connection) =>
          store(connection, batch, {
            isChecked: isSmall || attempt > 0 || performance.now() < checkedUntilMs,
            isAgain: mayBeCommitted,
            remainingMs,
          }),
        )
        state.succeeded()
        if (hasKnown) checkedUntilMs = performance.now() + checkedForMs
        onCommitted({ seconds: elapsed() / 1000, events: batch.waiting.length }, forwards > 0)
        const { waiting } = batch
        if (batch.reuse()) spare.push(batch)
        return () => {
          for (const [at, { resolve }] of waiting.entries()) resolve(appended[at] as Appended)
        }
      } catch (error) {
        if (isOfData(error)) return isolate(batch, session, error)
        const isKnown = codeOf(error) === idIsKnown
        const isHopeless = !isPassing(error) || codeOf(error)?.startsWith('53') === true
        if (elapsed() >= retriedForMs || (isHopeless && !isKnown)) return giveUp(batch, error)
        if (isKnown) continue
        mayBeCommitted = true
        await sleep(Math.min(50 * 2 ** attempt, 400))
      }
    }
  }

  /** Senders of a batch that failed, and of all that wait behind it, are told to come again. */
  function giveUp(batch: Batch, error: unknown): undefined {
    state.failed(error)
    const known = sessions.errorOf(error)
    refusal = known
    void state.whenUp().then(() => {
      if (state.isUp()) refusal = undefined
    })
    const all = [...batch.waiting, ...next.waiting, ...behind.splice(0)]
    next = openBatch()
    for (const { reject } of all) reject(known)
  }

  /** One event that the database cannot store must not keep the others out. */
  async function isolate({ waiting }: Batch, session: KeptSession, error: unknown): Promise<undefined> {
    const [only] = waiting
    if (waiting.length === 1) only?.reject(sessions.errorOf(error))
    else
      for (const one of waiting) {
        const alone = openBatch()
        alone.take(one)
        const acknowledge = await commit(alone, session)
        acknowledge?.()
      }
  }

  return {
    append(entry) {
      const failure = state.failure()
      if (failure?.kind === 'fatal') return Promise.reject(failure.error)
      if (refusal !== undefined) return Promise.reject(refusal)
      return new Promise((resolve, reject) => {
        const one = { entry, resolve, reject }
        if (behind.length > 0 || next.take(one) !== 'taken') behind.push(one)
        // What arrives in the same turn is written together.
        if (idle.length > 0 && (underWay.size === 0 || next.isLarge()))
          starting ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
            starting = undefined
            start()
          })
      })
    },
    async idle() {
      while (starting !== undefined || underWay.size > 0) await (starting ?? Promise.race(underWay.values()))
    },
    async close() {
      await Promise.all(receivers.map((session) => session.close()))
    },
  }
}

/** Class 22: the value cannot be stored; 54: it is too large. */
function isOfData(error: unknown): boolean {
  return /^(?:22|54)/.test(codeOf(error) ?? '')
}
