import type { Connection } from '../../../postgres/index.js'
import { hourMs, minuteMs } from '../../../shared/durations.js'
import { sleep } from '../../../shared/sleep.js'
import type { JournalEvent } from '../event.js'
import type { FinishedForward, ForwardingChanges, ForwardLedger, Pending, PendingForward } from '../forwards.js'
import type { Availability } from './availability.js'
import {
  nameTargets,
  readFloor,
  readForwarded,
  readPending,
  readTargetUrls,
  recordFinished,
  type SharedForward,
} from './forward-rows.js'
import { joinForwarders, type Membership } from './membership.js'
import { byIndex, keptSession, type Sessions } from './sessions.js'
import { recordPostgresResend } from './targets.js'
import { batcher, coalesced } from './work-loops.js'

/** A forwarder renews its targets at this interval; targets that are not renewed get no more events. */
const namedEveryMs = hourMs
/** How long the list of targets is cached. */
const targetsUsedMs = 2_000
/** Interval of the search for the oldest pending forward, so that older partitions can be skipped. */
const floorEveryMs = 5 * minuteMs
/** Minimum interval between two reads of the journal. */
const pollEveryMs = 20

interface Loading {
  forward: SharedForward
  resolve(event: JournalEvent | undefined): void
}

interface Finishing {
  finished: FinishedForward
  resolve(isRecorded: boolean): void
}

interface SharedLedger extends ForwardLedger {
  /** Somebody has accepted events, here or elsewhere. */
  wake(): void
  ownedShards(): number
  close(): Promise<void>
}

/** The forwards of a journal that several processes share: each forwards those of its shards. */
export function sharedLedger(sessions: Sessions, state: Availability): SharedLedger {
  const reads = keptSession(sessions, 'forwarder', { settings: byIndex })
  const writes = keptSession(sessions, 'outcomes', { settings: byIndex })
  const closing = new AbortController()
  const persist = persistently(state, closing.signal)
  const targetUrls = remembered<void, string[]>(targetsUsedMs, () => reads.use(readTargetUrls))
  const floorOf = remembered(floorEveryMs, (url: string) => reads.use((connection) => readFloor(connection, url)))
  let membership: Membership | undefined
  let changes: ForwardingChanges | undefined
  let naming: NodeJS.Timeout | undefined

  const isOpen = () => !closing.signal.aborted && state.failure()?.kind !== 'fatal'
  const isJoined = () => isOpen() && membership !== undefined
  const mayFinish = ({ claim }: PendingForward) => claim !== undefined && membership?.mayFinish(claim) === true

  /** Lets every queue look into the journal. */
  const polling = coalesced(pollEveryMs, closing.signal, () =>
    targetUrls()
      .then((urls) => changes?.onChange(urls))
      .catch(state.failed),
  )
  const wake = () => {
    if (membership !== undefined) polling.ask()
  }

  const load = batcher<Loading>(async (batch) => {
    const forwards = batch.map(({ forward }) => forward)
    const read = (connection: Connection) => readForwarded(connection, forwards)
    const events = await persist(() => reads.use(read), isOpen)
    const bySeq = new Map((events ?? []).map((event) => [event.seq, event]))
    for (const { forward, resolve } of batch) resolve(bySeq.get(forward.seq))
  })

  const finish = batcher<Finishing>(async (batch) => {
    const all = batch.map(({ finished }) => finished)
    const isWanted = () => isOpen() && all.some(({ forward }) => mayFinish(forward))
    const wasRecorded = await persist(() => writes.use((connection) => recordFinished(connection, all)), isWanted)
    if (wasRecorded !== undefined) state.succeeded()
    for (const { finished, resolve } of batch) {
      const isRecorded = wasRecorded?.(finished) === true
      const { claim } = finished.forward
      if (wasRecorded !== undefined && !isRecorded && claim !== undefined) membership?.forget(claim)
      resolve(isRecorded)
    }
  })

  async function pending(url: string, held: ReadonlyMap<number, PendingForward>, limit: number): Promise<Pending> {
    const readable = membership?.readable() ?? new Map<number, number>()
    const shards = withoutStale(readable, held)
    if (shards.size === 0) return { forwards: [], hasMore: held.size > 0 }
    const floor = await floorOf(url)
    const each = Math.max(8, Math.ceil(limit / shards.size))
    const { found, hasMore } = await reads.use((connection) =>
      readPending(connection, { url, shards, held: [...held.keys()], each, floor }),
    )
    // Somebody may have taken a shard over while it was read.
    const now = membership?.readable() ?? new Map<number, number>()
    const forwards = found.slice(0, limit).filter(({ claim }) => now.get(claim.shard) === claim.epoch)
    for (const { claim } of forwards) membership?.addForward(claim.shard)
    return { forwards, hasMore: hasMore || found.length > limit }
  }

  return {
    isSoleWriter: false,
    async join(targets, around) {
      changes = around
      const name = () => writes.use((connection) => nameTargets(connection, targets))
      await name()
      naming = setInterval(() => void name().catch(state.failed), namedEveryMs).unref()
      membership = joinForwarders(sessions, state, {
        onWork: wake,
        onWithdrawn: () => around.onWithdrawn((forward) => !mayFinish(forward)),
      })
    },
    async leave() {
      clearInterval(naming)
      await membership?.close()
      membership = undefined
    },
    async pending(url, held, limit) {
      return (await persist(() => pending(url, held, limit), isJoined)) ?? { forwards: [], hasMore: false }
    },
    event: (forward) => new Promise((resolve) => load({ forward: forward as SharedForward, resolve })),
    owns: ({ claim }) => (claim === undefined || membership === undefined ? false : membership.mayStart(claim)),
    finish: (finished) => new Promise((resolve) => finish({ finished, resolve })),
    resent: (seq, url) => writes.use((connection) => recordPostgresResend(connection, seq, url)),
    release(_, { claim }) {
      if (claim !== undefined) membership?.removeForward(claim.shard)
    },
    wake,
    ownedShards: () => membership?.owned() ?? 0,
    async close() {
      closing.abort()
      await polling.idle()
      await Promise.all([reads.close(), writes.close()])
    },
  }
}

/** Shards to read from: one that came back is read once everything from its earlier time here has left the memory. */
function withoutStale(
  readable: ReadonlyMap<number, number>,
  held: ReadonlyMap<number, PendingForward>,
): Map<number, number> {
  const shards = new Map(readable)
  for (const { claim } of held.values())
    if (claim !== undefined && readable.get(claim.shard) !== claim.epoch) shards.delete(claim.shard)
  return shards
}

/** Reads or writes until it succeeds; `undefined` once the result is no longer needed. */
function persistently(state: Availability, signal: AbortSignal) {
  return async <Result>(work: () => Promise<Result>, isNeeded: () => boolean): Promise<Result | undefined> => {
    while (isNeeded()) {
      try {
        return await work()
      } catch (error) {
        state.failed(error)
        await sleep(50, signal)
        await state.whenUp(signal)
      }
    }
    return undefined
  }
}

/** Reads something, and gives the same answer again for a while. */
function remembered<Key, Value>(forMs: number, read: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const known = new Map<Key, { value: Value; readAtMs: number }>()
  return async (key) => {
    const last = known.get(key)
    if (last !== undefined && performance.now() - last.readAtMs < forMs) return last.value
    const readAtMs = performance.now()
    const value = await read(key)
    known.set(key, { value, readAtMs })
    return value
  }
}
