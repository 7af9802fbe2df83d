import { sleep } from '../../shared/sleep.js'
import type { NamedSecret } from '../../webhooks/index.js'
import type { PendingForward } from '../journal/forward-ledger.js'
import type { Journal } from '../journal/journal.js'
import type { JournalEvent } from '../journal/reader.js'
import type { ForwardedRecord } from '../records.js'
import { type AttemptOptions, attempt, type ForwardAttempt, recordOf } from './attempt.js'
import { type ForwardQueue, type ForwardQueueOptions, forwardQueue } from './queue.js'
import type { Route } from './routes.js'

export interface ForwardOptions {
  routes: readonly Route[]
  /** For one attempt; 0 waits forever, for a debugger. 30,000 unless given. */
  timeoutMs?: number
  /** Pauses between attempts; their number and one is how often an event is tried. */
  retryDelaysMs?: readonly number[]
  /** Attempts at once for each target. */
  concurrency?: number
  /** Events that wait in memory for each target at most; 5,000 unless given. */
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
   * Sends an event again immediately, with a new signature, in addition to what waits for the targets: one attempt each, reported and
   * not kept.
   */
  resend(event: JournalEvent, urls: readonly string[]): Promise<void>
  /** Resolves once nothing waits. */
  idle(): Promise<void>
  /** Starts nothing new, waits `drainMs` for what is under way; the rest stays in the journal for the next start. */
  stop(drainMs: number): Promise<void>
}

export interface ForwarderSurroundings {
  journal: Journal
  secrets: readonly NamedSecret[]
  toleranceSeconds: number
  now(): number
  onRecord(record: ForwardedRecord): void
}

export const defaultRetryDelaysMs: readonly number[] = [500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

/**
 * Starts passing events on, with what an earlier run left behind first. For each delivery in order of arrival,
 * deliveries in parallel; what was recorded as delivered is never sent again.
 */
export function startForwarder(options: ForwardOptions, around: ForwarderSurroundings): Forwarder {
  const delays = options.retryDelaysMs ?? defaultRetryDelaysMs
  const stopping = new AbortController()
  const aborting = new AbortController()
  const attemptOptions: AttemptOptions = {
    secrets: around.secrets,
    toleranceSeconds: around.toleranceSeconds,
    timeoutMs: options.timeoutMs ?? 30_000,
    ca: options.ca,
    now: around.now,
    signal: aborting.signal,
  }
  const byTarget = new Map<string, ForwardQueue>()
  for (const { url } of options.routes) {
    if (byTarget.has(url)) continue
    const target = forwardQueue({
      concurrency: options.concurrency ?? 32,
      windowSize: options.windowSize ?? 5_000,
      pending: (afterSeq, limit) => orAbandon(() => around.journal.forwards.pending(url, afterSeq, limit)) ?? [],
      run: (event, away) => deliver(url, event, away),
      isStopping: () => stopping.signal.aborted,
    })
    byTarget.set(url, target)
  }

  async function deliver(
    url: string,
    { seq, id }: PendingForward,
    away: Parameters<ForwardQueueOptions['run']>[1],
  ): Promise<void> {
    for (let number = 1; !stopping.signal.aborted; number++) {
      const event = orAbandon(() => around.journal.get(id))
      if (event === undefined) return
      const made = await attempt(url, event, attemptOptions)
      if (aborting.signal.aborted) return
      const retryInMs = made.delivered ? undefined : delays[number - 1]
      if (retryInMs === undefined && !(await finish(seq, made, number))) return
      report(made, number, retryInMs)
      if (retryInMs === undefined) return
      await away(() => sleep(retryInMs, stopping.signal))
    }
  }

  /** A journal that cannot be read any more is given up; its listener reports that and ends. */
  function orAbandon<Result>(read: () => Result): Result | undefined {
    try {
      return read()
    } catch (error) {
      around.journal.abandon(error)
      return undefined
    }
  }

  async function resend(event: JournalEvent, urls: readonly string[]): Promise<void> {
    await Promise.all(urls.map(async (url) => report(await attempt(url, event, attemptOptions, true), 1, undefined)))
  }

  function report(made: ForwardAttempt, number: number, retryInMs: number | undefined) {
    around.onRecord(recordOf(made, number, retryInMs, options.showResponse === true))
  }

  /** Whether the end could be recorded; where not, the journal has failed and its listener reports that. */
  function finish(seq: number, { url, delivered, outcome }: ForwardAttempt, attempts: number): Promise<boolean> {
    const status = outcome.answered ? outcome.status : undefined
    return around.journal.forwards.finish({ seq, url, delivered, attempts, status }).then(
      () => true,
      () => false,
    )
  }

  const idle = async () => {
    await Promise.all([...byTarget.values()].map((target) => target.idle()))
  }
  return {
    forward(event, urls) {
      for (const url of urls) byTarget.get(url)?.add(event)
    },
    resend,
    idle,
    async stop(drainMs) {
      stopping.abort()
      const timer = setTimeout(() => aborting.abort(), drainMs)
      await idle()
      clearTimeout(timer)
    },
  }
}
