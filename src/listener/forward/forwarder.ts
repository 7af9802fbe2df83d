import { minuteMs } from '../../shared/durations.js'
import { sleep } from '../../shared/sleep.js'
import type { OptionNames } from '../../shared/word-match.js'
import type { JournalEvent, ListenerSecret } from '../journal/event.js'
import type { Pending, PendingForward } from '../journal/forwards.js'
import type { Journal } from '../journal/journal.js'
import { forwardLimits } from '../limits.js'
import type { ForwardedRecord } from '../records.js'
import { type AttemptOptions, attempt, type ForwardAttempt, recordOf, refusesEvent } from './attempt.js'
import { type ForwardQueue, type ForwardQueueOptions, forwardQueue, Turns } from './queue.js'
import type { Route } from './routes.js'

/** Options of forwarding. */
export interface ForwardOptions {
  /** Events that match several routes go to each of their targets. */
  routes: readonly Route[]
  /** Timeout of one attempt in milliseconds; 0 for none, for a debugger. Default 30,000. */
  timeoutMs?: number
  /**
   * Pauses between attempts. Their number and one is how often the target may refuse an event; attempts while it was down do
   * not count, and the last pause is repeated for them.
   */
  retryDelaysMs?: readonly number[]
  /** Attempts at once for each target. */
  concurrency?: number
  /** Maximum number of events in memory for each target. Default 5,000, and 1,000 for a shared journal. */
  windowSize?: number
  /** Puts the target's answer into the records. */
  showResponse?: boolean
  /** Certificates to trust besides the system's own, for a target that signs itself. */
  ca?: string
}

export const forwardOptionNames: OptionNames<ForwardOptions> = {
  routes: 0,
  timeoutMs: 0,
  retryDelaysMs: 0,
  concurrency: 0,
  windowSize: 0,
  showResponse: 0,
  ca: 0,
}

/** Passes events on from the journal, after they were acknowledged. */
export interface Forwarder {
  /** Queues an event for its targets. */
  forward(event: PendingForward, urls: readonly string[]): void
  /**
   * Sends an event again immediately, with a new signature, in addition to what waits for the targets: one attempt each,
   * reported; an event that was given up for the target is delivered then.
   */
  resend(event: JournalEvent, urls: readonly string[]): Promise<void>
  /** Resolves once nothing waits, but for targets that are down. */
  settled(): Promise<void>
  /** Starts nothing new, waits `drainMs` for what is under way; the rest stays in the journal for the next start. */
  stop(drainMs: number): Promise<void>
}

export interface ForwarderSurroundings {
  journal: Journal
  secrets(): readonly ListenerSecret[]
  account?: string | undefined
  toleranceSeconds: number
  now(): number
  onRecord(record: ForwardedRecord): void
  /** The places for a target that forwarders share, each for one request at a time. Default: each forwarder has its own. */
  turnsOf?: ((url: string, count: number) => Turns) | undefined
}

const nothing: Pending = { forwards: [], hasMore: false }

/**
 * Starts passing events on, with what an earlier run left behind first. For each delivery in order of arrival,
 * deliveries in parallel; what was recorded as delivered is never sent again.
 */
export async function startForwarder(options: ForwardOptions, around: ForwarderSurroundings): Promise<Forwarder> {
  const forwarder = new RunningForwarder(options, around)
  await forwarder.start()
  return forwarder
}

class RunningForwarder implements Forwarder {
  readonly #delays: readonly number[]
  readonly #ledger: Journal['forwards']
  readonly #attemptOptions: Omit<AttemptOptions, 'signal' | 'secrets'>
  readonly #stopping = new AbortController()
  readonly #resending = new AbortController()
  readonly #underWay = new Map<AbortController, { forward: PendingForward; isPosting: boolean }>()
  /** Targets that fail whatever they are sent, as far as is known. */
  readonly #down = new Set<string>()
  readonly #onDown = new Set<() => void>()
  readonly #byTarget = new Map<string, ForwardQueue>()

  constructor(
    private readonly options: ForwardOptions,
    private readonly around: ForwarderSurroundings,
  ) {
    this.#delays = options.retryDelaysMs ?? forwardLimits.retryDelaysMs
    this.#ledger = around.journal.forwards
    this.#attemptOptions = {
      toleranceSeconds: around.toleranceSeconds,
      account: around.account,
      timeoutMs: options.timeoutMs ?? forwardLimits.timeoutMs,
      ca: options.ca,
      now: around.now,
    }
  }

  async start(): Promise<void> {
    const { routes } = this.options
    if (routes.length === 0) return
    for (const { url } of routes) this.#openTarget(url)
    await this.#ledger.join(routes, {
      onChange: (urls) => {
        for (const url of urls) this.#openTarget(url).look()
      },
      onWithdrawn: (isLost) => {
        for (const [controller, { forward, isPosting }] of this.#underWay)
          if (isPosting ? isLost(forward) : this.#ledger.owns(forward) === false) controller.abort()
      },
    })
  }

  forward(event: PendingForward, urls: readonly string[]): void {
    for (const url of urls) this.#byTarget.get(url)?.add(event)
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#byTarget].map(([url, target]) => Promise.race([target.idle(), this.#isDown(url)])))
  }

  async stop(drainMs: number): Promise<void> {
    this.#stopping.abort()
    for (const [controller, { isPosting }] of this.#underWay) if (!isPosting) controller.abort()
    const ended = new AbortController()
    const cutOff = sleep(drainMs, ended.signal).then(() => {
      this.#resending.abort()
      for (const controller of this.#underWay.keys()) controller.abort()
      // A database that does not answer keeps nobody from ending.
      return sleep(1_000, ended.signal)
    })
    const idle = Promise.all([...this.#byTarget.values()].map((target) => target.idle()))
    await Promise.race([idle, cutOff])
    ended.abort()
    await this.#ledger.leave()
  }

  #openTarget(url: string): ForwardQueue {
    const known = this.#byTarget.get(url)
    if (known !== undefined) return known
    const { isSoleWriter } = this.#ledger
    const { concurrency = 32 } = this.options
    const target = forwardQueue({
      turns: this.around.turnsOf?.(url, concurrency) ?? new Turns(concurrency),
      windowSize: this.options.windowSize ?? (isSoleWriter ? 5_000 : 1_000),
      isSoleWriter,
      pending: async (held, limit) => (await this.#orAbandon(() => this.#ledger.pending(url, held, limit))) ?? nothing,
      run: (forward, away) => this.#deliver(url, forward, away),
      release: (forward) => this.#ledger.release(url, forward),
      isStopping: () => this.#stopping.signal.aborted,
    })
    this.#byTarget.set(url, target)
    return target
  }

  async #deliver(url: string, forward: PendingForward, away: Parameters<ForwardQueueOptions['run']>[1]): Promise<void> {
    let refusals = 0
    for (let number = 1; !this.#stopping.signal.aborted; number++) {
      const event = await this.#orAbandon(() => this.#ledger.event(forward))
      if (event === undefined || !(await this.#ledger.owns(forward)) || this.#stopping.signal.aborted) return
      const made = await this.#abortable(forward, true, (signal) =>
        attempt(url, event, { ...this.#attemptOptions, secrets: this.around.secrets(), signal }),
      )
      if (made === undefined) return
      if (refusesEvent(made.outcome)) refusals++
      const retryInMs = this.#pauseAfter(made, number, refusals)
      if (retryInMs === undefined && !(await this.#finish(forward, made, number))) return
      this.#report(made, number, { retryInMs, givenUp: retryInMs === undefined && !made.delivered })
      if (made.delivered) this.#down.delete(url)
      if (retryInMs === undefined) return
      if (number > this.#delays.length) {
        this.#down.add(url)
        for (const look of this.#onDown) look()
      }
      await away(() => this.#abortable(forward, false, (signal) => sleep(retryInMs, signal)))
    }
  }

  /** `undefined` if no attempt follows. */
  #pauseAfter({ delivered, event, outcome }: ForwardAttempt, number: number, refusals: number): number | undefined {
    if (delivered) return undefined
    // An app that was down for a while may answer 404 to its first event, before its routes are there.
    if (refusesEvent(outcome)) return this.#delays[refusals - 1]
    const isKept = this.around.now() - event.receivedAtMs < forwardLimits.keptTryingMs
    return this.#delays[number - 1] ?? (isKept ? (this.#delays.at(-1) ?? minuteMs) : undefined)
  }

  /** Runs what has to end if the forward is withdrawn; `undefined` if it was. */
  async #abortable<Result>(
    forward: PendingForward,
    isPosting: boolean,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined> {
    const aborting = new AbortController()
    this.#underWay.set(aborting, { forward, isPosting })
    if (this.#stopping.signal.aborted && !isPosting) aborting.abort()
    const result = await run(aborting.signal)
    this.#underWay.delete(aborting)
    return aborting.signal.aborted ? undefined : result
  }

  /** A journal that cannot be read any more is given up; its listener reports that and ends. */
  async #orAbandon<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await read()
    } catch (error) {
      this.around.journal.abandon(error)
      return undefined
    }
  }

  async resend(event: JournalEvent, urls: readonly string[]): Promise<void> {
    const { signal } = this.#resending
    await Promise.all(
      urls.map(async (url) => {
        const made = await attempt(
          url,
          event,
          { ...this.#attemptOptions, secrets: this.around.secrets(), signal },
          true,
        )
        // What could not be recorded is given up still, and may be sent once more.
        if (made.delivered) await this.#ledger.resent(event.seq, url).catch(() => {})
        this.#report(made, 1, {})
      }),
    )
  }

  #report(made: ForwardAttempt, number: number, next: Parameters<typeof recordOf>[2]) {
    this.around.onRecord(recordOf(made, number, next, this.options.showResponse === true))
  }

  /** Whether the end could be recorded; if not, the journal has failed or the forward belongs to another process now. */
  #finish(forward: PendingForward, { url, delivered, outcome }: ForwardAttempt, attempts: number): Promise<boolean> {
    const status = outcome.answered ? outcome.status : undefined
    return this.#ledger.finish({ forward, url, delivered, attempts, status }).catch(() => false)
  }

  #isDown(url: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.#down.has(url)) resolve()
      }
      this.#onDown.add(look)
      look()
    })
  }
}
