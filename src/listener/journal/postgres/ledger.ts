import type { Row } from '../../../postgres/index.js'
import { hourMs, minuteMs } from '../../../shared/durations.js'
import { sleep } from '../../../shared/sleep.js'
import type { JournalEvent } from '../event.js'
import type { FinishedForward, ForwardingChanges, ForwardLedger, ForwardTarget, PendingForward } from '../forwards.js'
import type { Availability } from './availability.js'
import { batcher } from './batcher.js'
import { finishForwards, oldestPending, pendingForwards, readForwarded } from './forward-statements.js'
import { joinForwarders, type Membership } from './membership.js'
import { likePattern } from './schema.js'
import { byIndex, keptSession, type Sessions } from './sessions.js'
import { recordPostgresResend } from './targets.js'

/** A forwarder names its targets again and again: those that nobody names any more get no more events. */
const namedEveryMs = hourMs
/** How often the oldest that waits is looked for, so that the partitions before it are not. */
const floorEveryMs = 5 * minuteMs
/** Two looks at the journal are at least so far apart. */
const pollEveryMs = 20

interface SharedForward extends PendingForward {
  claim: { shard: number; epoch: number }
  /** As PostgreSQL prints it, to the microsecond. */
  receivedAt: string
}

interface Loading {
  forward: SharedForward
  resolve(event: JournalEvent | undefined): void
}

interface Finishing {
  finished: FinishedForward
  resolve(isRecorded: boolean): void
}

export interface SharedLedger extends ForwardLedger {
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
  let membership: Membership | undefined
  let changes: ForwardingChanges | undefined
  let urls: string[] = []
  let urlsReadAt = Number.NEGATIVE_INFINITY
  let naming: NodeJS.Timeout | undefined
  const floors = new Map<string, { receivedAt: string; readAt: number }>()

  /** Reads or writes until it succeeds; `undefined` once nobody needs it any more. */
  async function persist<Result>(work: () => Promise<Result>, isNeeded: () => boolean): Promise<Result | undefined> {
    while (isNeeded()) {
      try {
        return await work()
      } catch (error) {
        state.failed(error)
        await sleep(50, closing.signal)
        await state.whenUp(closing.signal)
      }
    }
    return undefined
  }
  const isOpen = () => !closing.signal.aborted && state.failure()?.kind !== 'fatal'

  async function name(targets: readonly ForwardTarget[]) {
    const named = targets.flatMap(({ url, eventTypes = ['*'] }) => eventTypes.map((type) => [url, likePattern(type)]))
    await writes.use((connection) =>
      connection.query(
        `INSERT INTO dlv.targets (url, pattern) SELECT * FROM unnest($1::text[], $2::text[])
         ON CONFLICT (url, pattern) DO UPDATE SET named_at = now()`,
        [named.map(([url]) => url), named.map(([, pattern]) => pattern)],
        { isDurable: true },
      ),
    )
  }

  async function targetUrls(): Promise<string[]> {
    if (performance.now() - urlsReadAt < 2_000) return urls
    urlsReadAt = performance.now()
    const rows = await reads.use((connection) =>
      connection.query({ name: 'targets', text: 'SELECT DISTINCT url FROM dlv.targets ORDER BY url' }),
    )
    urls = rows.map(({ url }) => String(url))
    return urls
  }

  let polling: Promise<void> | undefined
  let isPollDue = false
  /** Lets every queue look into the journal, at most every few milliseconds. */
  function wake() {
    isPollDue = true
    if (membership === undefined || closing.signal.aborted) return
    polling ??= (async () => {
      while (isPollDue && !closing.signal.aborted) {
        isPollDue = false
        try {
          changes?.onChange(await targetUrls())
        } catch (error) {
          state.failed(error)
        }
        await sleep(pollEveryMs, closing.signal)
      }
      polling = undefined
    })()
  }

  /** Nothing that waits for the target was received before this. */
  async function floorOf(url: string): Promise<string> {
    const known = floors.get(url)
    if (known !== undefined && performance.now() - known.readAt < floorEveryMs) return known.receivedAt
    const readAt = performance.now()
    const [row] = await reads.use((connection) =>
      connection.query({ name: 'floor', text: oldestPending }, [url, hourMs / 1_000], { timeoutMs: 30_000 }),
    )
    const receivedAt = String(row?.floor)
    floors.set(url, { receivedAt, readAt })
    return receivedAt
  }

  const load = batcher<Loading>(async (batch) => {
    const forwards = batch.map(({ forward }) => forward)
    const events = await persist(() => reads.use((connection) => readForwarded(connection, forwards)), isOpen)
    const bySeq = new Map((events ?? []).map((event) => [event.seq, event]))
    for (const { forward, resolve } of batch) resolve(bySeq.get(forward.seq))
  })
  const finisher = batcher<Finishing>(async (batch) => {
    const isWanted = () => isOpen() && batch.some(({ finished }) => mayFinish(finished.forward))
    const recorded = await persist(() => recordFinished(batch), isWanted)
    for (const { finished, resolve } of batch) {
      const isRecorded = recorded?.has(keyOf(finished.url, finished.forward.seq)) === true
      const { claim } = finished.forward
      if (recorded !== undefined && !isRecorded && claim !== undefined) membership?.forget(claim)
      resolve(isRecorded)
    }
  })

  async function recordFinished(batch: readonly Finishing[]): Promise<Set<string>> {
    const all = batch.map(({ finished }) => ({ ...finished, forward: finished.forward as SharedForward }))
    const rows = await writes.use((connection) =>
      connection.query(
        { name: 'finish', text: finishForwards },
        [
          all.map(({ url }) => url),
          all.map(({ forward }) => forward.seq),
          all.map(({ forward }) => forward.claim.shard),
          all.map(({ forward }) => forward.claim.epoch),
          all.map(({ forward }) => forward.receivedAt),
          all.map(({ delivered }) => (delivered ? 'delivered' : 'given-up')),
          all.map(({ attempts }) => attempts),
          all.map(({ status }) => status),
        ],
        { isDurable: true },
      ),
    )
    state.succeeded()
    return new Set(rows.map(({ url, seq }) => keyOf(String(url), Number(seq))))
  }

  const mayFinish = ({ claim }: PendingForward) => claim !== undefined && membership?.mayFinish(claim) === true

  async function read(url: string, held: ReadonlyMap<number, PendingForward>, limit: number) {
    const readable = membership?.readable() ?? new Map<number, number>()
    // A shard that came back is read once everything from its earlier time here has left the memory.
    const stale = new Set<number>()
    for (const { claim } of held.values())
      if (claim !== undefined && readable.get(claim.shard) !== claim.epoch) stale.add(claim.shard)
    const shards = [...readable.keys()].filter((shard) => !stale.has(shard))
    if (shards.length === 0) return { forwards: [], hasMore: stale.size > 0 }
    const floor = await floorOf(url)
    const each = Math.max(8, Math.ceil(limit / shards.length))
    const rows = await reads.use((connection) =>
      connection.query({ name: 'pending', text: pendingForwards }, [url, shards, [...held.keys()], each, floor]),
    )
    // Somebody may have taken a shard over while it was read.
    const now = membership?.readable() ?? new Map<number, number>()
    const found = rows.map((row) => forwardOf(row, readable)).slice(0, limit)
    const forwards = found.filter(({ claim }) => now.get(claim.shard) === claim.epoch)
    for (const { claim } of forwards) membership?.addForward(claim.shard)
    const perShard = new Map<number, number>()
    for (const { shard } of rows) perShard.set(Number(shard), (perShard.get(Number(shard)) ?? 0) + 1)
    return { forwards, hasMore: rows.length > found.length || [...perShard.values()].some((count) => count >= each) }
  }

  return {
    isSoleWriter: false,
    async join(targets, around) {
      changes = around
      await name(targets)
      naming = setInterval(() => void name(targets).catch(state.failed), namedEveryMs).unref()
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
      const found = await persist(
        () => read(url, held, limit),
        () => isOpen() && membership !== undefined,
      )
      return found ?? { forwards: [], hasMore: false }
    },
    event: (forward) => new Promise((resolve) => load({ forward: forward as SharedForward, resolve })),
    owns: ({ claim }) => (claim === undefined || membership === undefined ? false : membership.mayStart(claim)),
    finish: (finished) => new Promise((resolve) => finisher({ finished, resolve })),
    resent: (seq, url) => writes.use((connection) => recordPostgresResend(connection, seq, url)),
    release(_, { claim }) {
      if (claim !== undefined) membership?.removeForward(claim.shard)
    },
    wake,
    ownedShards: () => membership?.owned() ?? 0,
    async close() {
      closing.abort()
      await polling
      await Promise.all([reads.close(), writes.close()])
    },
  }
}

function keyOf(url: string, seq: number): string {
  return `${seq} ${url}`
}

function forwardOf(row: Row, epochs: ReadonlyMap<number, number>): SharedForward {
  const shard = Number(row.shard)
  return {
    seq: Number(row.seq),
    id: String(row.id),
    lane: String(row.lane),
    claim: { shard, epoch: epochs.get(shard) ?? -1 },
    receivedAt: String(row.received),
  }
}
