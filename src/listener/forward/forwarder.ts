import { dayMs, minuteMs } from '../../shared/durations.js'
import { sleep } from '../../shared/sleep.js'
import type { NamedSecret } from '../../webhooks/index.js'
import type { JournalEvent } from '../journal/event.js'
import type { Pending, PendingForward } from '../journal/forwards.js'
import type { Journal } from '../journal/journal.js'
import type { ForwardedRecord } from '../records.js'
import { type AttemptOptions, attempt, type ForwardAttempt, recordOf, refusesEvent } from './attempt.js'
import { type ForwardQueue, type ForwardQueueOptions, forwardQueue } from './queue.js'
import type { Route } from './routes.js'

/** Options of forwarding. */
export interface ForwardOptions {
  /** Events that match several routes go to each of their targets. */
  routes: readonly Route[]
  /** Timeout of one attempt in milliseconds; 0 for none, for a debugger. Default 30,000. */
  timeoutMs?: number
  /**
   * Pauses between attempts. Their number and one is how often an event is tried that the target refuses; the last one is
   * repeated while the target is down.
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

interface ForwarderSurroundings {
  journal: Journal
  secrets(): readonly NamedSecret[]
  toleranceSeconds: number
  now(): number
  onRecord(record: ForwardedRecord): void
}

const nothing: Pending = { forwards: [], hasMore: false }

/** The pauses between attempts unless others are given, in milliseconds. */
export const defaultRetryDelaysMs: readonly number[] = [500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

/** Events for a target that is down are retried up to this age. */
const keptTryingMs = 7 * dayMs

/**
 * Starts passing events on, with what an earlier run left behind first. For each delivery in order of arrival,
 * deliveries in parallel; what was recorded as delivered is never sent again.
 */
export async function startForwarder(options: ForwardOptions, around: ForwarderSurroundings): Promise<Forwarder> {
  const delays = options.retryDelaysMs ?? defaultRetryDelaysMs
  const { journal } = around
  const ledger = journal.forwards
  const stopping = new AbortController()
  const resending = new AbortController()
  const underWay = new Map<AbortController, { forward: PendingForward; isPosting: boolean }>()
  const attemptOptions: Omit<AttemptOptions, 'signal' | 'secrets'> = {
    toleranceSeconds: around.toleranceSeconds,
    timeoutMs: options.timeoutMs ?? 30_000,
    ca: options.ca,
    now: around.now,
  }
  /** Targets that fail whatever they are sent, as far as is known. */
  const down = new Set<string>()
  const onDown = new Set<() => void>()
  const byTarget = new Map<string, ForwardQueue>()
  const openTarget = (url: string) => {
    const known = byTarget.get(url)
    if (known !== undefined) return known
    const target = forwardQueue({
      concurrency: options.concurrency ?? 32,
      windowSize: options.windowSize ?? (ledger.isSoleWriter ? 5_000 : 1_000),
      isSoleWriter: ledger.isSoleWriter,
      pending: async (held, limit) => (await orAbandon(() => ledger.pending(url, held, limit))) ?? nothing,
      run: (forward, away) => deliver(url, forward, away),
      release: (forward) => ledger.release(url, forward),
      isStopping: () => stopping.signal.aborted,
    })
    byTarget.set(url, target)
    return target
  }
  for (const { url } of options.routes) openTarget(url)
  if (options.routes.length > 0) {
    await ledger.join(options.routes, {
      onChange(urls) {
        for (const url of urls) openTarget(url).look()
      },
      onWithdrawn(isLost) {
        for (const [controller, { forward, isPosting }] of underWay)
          if (isPosting ? isLost(forward) : ledger.owns(forward) === false) controller.abort()
      },
    })
  }

  async function deliver(
    url: string,
    forward: PendingForward,
    away: Parameters<ForwardQueueOptions['run']>[1],
  ): Promise<void> {
    for (let number = 1; !stopping.signal.aborted; number++) {
      const event = await orAbandon(() => ledger.event(forward))
      if (event === undefined || !(await ledger.owns(forward)) || stopping.signal.aborted) return
      const made = await abortable(forward, true, (signal) =>
        attempt(url, event, { ...attemptOptions, secrets: around.secrets(), signal }),
      )
      if (made === undefined) return
      const retryInMs = pauseAfter(made, number)
      if (retryInMs === undefined && !(await finish(forward, made, number))) return
      report(made, number, { retryInMs, givenUp: retryInMs === undefined && !made.delivered })
      if (made.delivered) down.delete(url)
      if (retryInMs === undefined) return
      if (number > delays.length) {
        down.add(url)
        for (const look of onDown) look()
      }
      await away(() => abortable(forward, false, (signal) => sleep(retryInMs, signal)))
    }
  }

  /** `undefined` if no attempt follows. */
  function pauseAfter({ delivered, event, outcome }: ForwardAttempt, number: number): number | undefined {
    if (delivered) return undefined
    const isKept = !refusesEvent(outcome) && around.now() - event.receivedAtMs < keptTryingMs
    return delays[number - 1] ?? (isKept ? (delays.at(-1) ?? minuteMs) : undefined)
  }

  /** Runs what has to end if the forward is withdrawn; `undefined` if it was. */
  async function abortable<Result>(
    forward: PendingForward,
    isPosting: boolean,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined> {
    const aborting = new AbortController()
    underWay.set(aborting, { forward, isPosting })
    if (stopping.signal.aborted && !isPosting) aborting.abort()
    const result = await run(aborting.signal)
    underWay.delete(aborting)
    return aborting.signal.aborted ? undefined : result
  }

  /** A journal that cannot be read any more is given up; its listener reports that and ends. */
  async function orAbandon<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await read()
    } catch (error) {
      journal.abandon(error)
      return undefined
    }
  }

  async function resend(event: JournalEvent, urls: readonly string[]): Promise<void> {
    const { signal } = resending
    await Promise.all(
      urls.map(async (url) => {
        const made = await attempt(url, event, { ...attemptOptions, secrets: around.secrets(), signal }, true)
        // What could not be recorded is given up still, and may be sent once more.
        if (made.delivered) await ledger.resent(event.seq, url).catch(() => {})
        report(made, 1, {})
      }),
    )
  }

  function report(made: ForwardAttempt, number: number, next: Parameters<typeof recordOf>[2]) {
    around.onRecord(recordOf(made, number, next, options.showResponse === true))
  }

  /** Whether the end could be recorded; if not, the journal has failed or the forward belongs to another process now. */
  function finish(
    forward: PendingForward,
    { url, delivered, outcome }: ForwardAttempt,
    attempts: number,
  ): Promise<boolean> {
    const status = outcome.answered ? outcome.status : undefined
    return ledger.finish({ forward, url, delivered, attempts, status }).catch(() => false)
  }

  const isDown = (url: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (down.has(url)) resolve()
      }
      onDown.add(look)
      look()
    })
  const idle = async () => {
    await Promise.all([...byTarget.values()].map((target) => target.idle()))
  }
  return {
    forward(event, urls) {
      for (const url of urls) byTarget.get(url)?.add(event)
    },
    resend,
    async settled() {
      await Promise.all([...byTarget].map(([url, target]) => Promise.race([target.idle(), isDown(url)])))
    },
    async stop(drainMs) {
      stopping.abort()
      for (const [controller, { isPosting }] of underWay) if (!isPosting) controller.abort()
      const ended = new AbortController()
      const cutOff = sleep(drainMs, ended.signal).then(() => {
        resending.abort()
        for (const controller of underWay.keys()) controller.abort()
        // A database that does not answer keeps nobody from ending.
        return sleep(1_000, ended.signal)
      })
      await Promise.race([idle(), cutOff])
      ended.abort()
      await ledger.leave()
    },
  }
}
