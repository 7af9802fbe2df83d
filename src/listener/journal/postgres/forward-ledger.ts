import { hourMs, minuteMs } from '../../../shared/durations.js'
import { sleep } from '../../../shared/sleep.js'
import type { ForwardingChanges, ForwardLedger, ForwardTarget, Pending } from '../forwards.js'
import type { Availability } from './availability.js'
import {
  nameTargets,
  numbersOfAccounts,
  readFloor,
  readForwarded,
  readPending,
  readTargetUrls,
  recordFinished,
  type SharedFinished,
  type SharedForward,
} from './forward-rows.js'
import { Membership } from './membership.js'
import { byIndex, type KeptSession, keptSession, type Sessions } from './sessions.js'
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

/** The forwards of a journal that several processes share: each forwards those of its shards. */
export class SharedLedger implements ForwardLedger {
  readonly isSoleWriter = false
  /** The event of a forward, many in one read. */
  readonly event = batcher((forwards: readonly SharedForward[]) => this.#eventsOf(forwards))
  readonly finish = batcher((all: readonly SharedFinished[]) => this.#record(all))
  readonly #closing = new AbortController()
  readonly #reads: KeptSession
  readonly #writes: KeptSession
  readonly #targetUrls = remembered<void, string[]>(targetsUsedMs, () =>
    this.#reads.use((connection) => readTargetUrls(connection, this.accounts)),
  )
  readonly #floorOf = remembered(floorEveryMs, (url: string) =>
    this.#reads.use((connection) => readFloor(connection, url)),
  )
  readonly #polling = coalesced(pollEveryMs, this.#closing.signal, () => this.#poll())
  #membership: Membership | undefined
  #changes: ForwardingChanges | undefined
  #naming: NodeJS.Timeout | undefined

  constructor(
    private readonly sessions: Sessions,
    private readonly state: Availability,
    /** The accounts that are forwarded for. */
    private readonly accounts: readonly string[] = [''],
  ) {
    this.#reads = keptSession(sessions, 'forwarder', { settings: byIndex })
    this.#writes = keptSession(sessions, 'outcomes', { settings: byIndex })
  }

  async join(targets: readonly ForwardTarget[], changes: ForwardingChanges): Promise<void> {
    this.#changes = changes
    const name = () => this.#writes.use((connection) => nameTargets(connection, targets, this.accounts))
    const numbers = await this.#writes.use((connection) => numbersOfAccounts(connection, this.accounts))
    await name()
    this.#naming = setInterval(() => name().catch((error) => this.state.failed(error)), namedEveryMs).unref()
    this.#membership = new Membership(this.sessions, this.state, numbers, {
      onWork: () => this.wake(),
      onWithdrawn: () => changes.onWithdrawn((forward) => !this.#mayFinish(forward as SharedForward)),
    })
  }

  async leave(): Promise<void> {
    clearInterval(this.#naming)
    await this.#membership?.close()
    this.#membership = undefined
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#polling.idle()
    await Promise.all([this.#reads.close(), this.#writes.close()])
  }

  /** Somebody has accepted events, here or elsewhere. */
  wake(): void {
    if (this.#membership !== undefined) this.#polling.ask()
  }

  ownedShards(): number {
    return this.#membership?.shards.owned().length ?? 0
  }

  async pending(url: string, held: ReadonlyMap<number, SharedForward>, limit: number): Promise<Pending> {
    const isJoined = () => this.#isOpen() && this.#membership !== undefined
    const read = await this.#persist(() => this.#readPending(url, held, limit), isJoined)
    return read ?? { forwards: [], hasMore: false }
  }

  owns({ claim }: SharedForward): boolean | Promise<boolean> {
    return this.#membership?.mayStart(claim) ?? false
  }

  release(_: string, { claim }: SharedForward): void {
    this.#membership?.shards.removeForward(claim.shard)
  }

  resent(seq: number, url: string): Promise<void> {
    return this.#writes.use((connection) => recordPostgresResend(connection, seq, url))
  }

  #isOpen(): boolean {
    return !this.#closing.signal.aborted && this.state.failure()?.kind !== 'fatal'
  }

  #mayFinish({ claim }: SharedForward): boolean {
    return this.#membership?.shards.owns(claim) === true
  }

  #readable(): ReadonlyMap<number, number> {
    return this.#membership?.readable() ?? new Map()
  }

  /** Lets every queue look into the journal. */
  async #poll() {
    try {
      this.#changes?.onChange(await this.#targetUrls())
    } catch (error) {
      this.state.failed(error)
    }
  }

  async #readPending(url: string, held: ReadonlyMap<number, SharedForward>, limit: number): Promise<Pending> {
    const shards = new Map(this.#readable())
    // A shard that came back is read once everything from its earlier time here has left the memory.
    for (const { claim } of held.values()) if (shards.get(claim.shard) !== claim.epoch) shards.delete(claim.shard)
    if (shards.size === 0) return { forwards: [], hasMore: held.size > 0 }
    const floor = await this.#floorOf(url)
    const each = Math.max(8, Math.ceil(limit / shards.size))
    const { found, hasMore } = await this.#reads.use((connection) =>
      readPending(connection, { url, shards, held: [...held.keys()], each, floor }),
    )
    // Somebody may have taken a shard over while it was read.
    const now = this.#readable()
    const forwards = found.slice(0, limit).filter(({ claim }) => now.get(claim.shard) === claim.epoch)
    for (const { claim } of forwards) this.#membership?.shards.addForward(claim.shard)
    return { forwards, hasMore: hasMore || found.length > limit }
  }

  async #eventsOf(forwards: readonly SharedForward[]) {
    const read = () => this.#reads.use((connection) => readForwarded(connection, forwards))
    const events = await this.#persist(read, () => this.#isOpen())
    const bySeq = new Map(events?.map((event) => [event.seq, event]))
    return ({ seq }: SharedForward) => bySeq.get(seq)
  }

  async #record(all: readonly SharedFinished[]): Promise<(finished: SharedFinished) => boolean> {
    const write = () => this.#writes.use((connection) => recordFinished(connection, all))
    const isWanted = () => this.#isOpen() && all.some(({ forward }) => this.#mayFinish(forward))
    const wasRecorded = await this.#persist(write, isWanted)
    if (wasRecorded === undefined) return () => false
    this.state.succeeded()
    for (const one of all) if (!wasRecorded(one)) this.#membership?.shards.forget(one.forward.claim)
    return wasRecorded
  }

  /** Reads or writes until it succeeds; `undefined` once the result is no longer needed. */
  async #persist<Result>(work: () => Promise<Result>, isNeeded: () => boolean): Promise<Result | undefined> {
    const { signal } = this.#closing
    while (isNeeded()) {
      try {
        return await work()
      } catch (error) {
        this.state.failed(error)
        await sleep(50, signal)
        await this.state.whenUp(signal)
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
