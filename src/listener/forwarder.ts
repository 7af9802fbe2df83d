import { setTimeout as sleep } from 'node:timers/promises'
import { type NamedSecret, type PostOutcome, post, replayableHeaders, signatureHeaders } from '../webhooks/index.js'
import { type ForwardQueue, forwardQueue } from './forward-queue.js'
import type { Journal } from './journal.js'
import type { PendingForward } from './journal-forwards.js'
import type { JournalEvent } from './journal-reader.js'
import type { ForwardedRecord } from './records.js'
import type { Route } from './routes.js'

export interface ForwardOptions {
  routes: readonly Route[]
  /** For one attempt; 0 waits for ever, for a debugger. 30,000 unless given. */
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
   * Sends an event once more at once, signed anew, beside whatever waits for the targets: one attempt each, reported and
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
/** The contract gives a receiver 10 s; half of it is a reason to warn. */
const slowAfterMs = 5_000

/**
 * Starts passing events on, with what an earlier run left behind first. For each delivery in order of arrival,
 * deliveries in parallel; what was recorded as delivered is never sent again.
 */
export function startForwarder(options: ForwardOptions, around: ForwarderSurroundings): Forwarder {
  const delays = options.retryDelaysMs ?? defaultRetryDelaysMs
  const stopping = new AbortController()
  const aborting = new AbortController()
  const byTarget = new Map<string, ForwardQueue>()
  for (const { url } of options.routes) {
    if (byTarget.has(url)) continue
    const target = forwardQueue({
      concurrency: options.concurrency ?? 32,
      windowSize: options.windowSize ?? 5_000,
      pending: (afterSeq, limit) => around.journal.forwards.pending(url, afterSeq, limit),
      run: (event, pause) => deliver(url, event, pause),
      isStopping: () => stopping.signal.aborted,
    })
    byTarget.set(url, target)
  }

  type Pause = <Result>(wait: () => Promise<Result>) => Promise<Result>

  async function deliver(url: string, { seq, id }: PendingForward, pause: Pause): Promise<void> {
    for (let attempt = 1; !stopping.signal.aborted; attempt++) {
      const event = around.journal.get(id)
      if (event === undefined) return
      const { outcome, signedAgain } = await send(url, event)
      if (aborting.signal.aborted) return
      const delivered = outcome.answered && outcome.status >= 200 && outcome.status < 300
      const retryInMs = delivered ? undefined : delays[attempt - 1]
      if (retryInMs === undefined && !(await finish({ seq, url, delivered, attempts: attempt, outcome }))) return
      around.onRecord(recordOf({ url, event, outcome, attempt, delivered, signedAgain, retryInMs }))
      if (retryInMs === undefined) return
      await pause(() => wait(retryInMs))
    }
  }

  async function send(url: string, event: JournalEvent): Promise<{ outcome: PostOutcome; signedAgain: boolean }> {
    const { headers, signedAgain } = headersFor(event)
    const { timeoutMs = 30_000, ca } = options
    const outcome = await post({ url, headers, body: event.body, timeoutMs, signal: aborting.signal, ca })
    return { outcome, signedAgain }
  }

  /** The original headers; a new signature where the old one is so old that every verifier must refuse it. */
  function headersFor(event: JournalEvent): { headers: Record<string, string>; signedAgain: boolean } {
    const nowSeconds = Math.floor(around.now() / 1000)
    const isFresh = Math.abs(nowSeconds - event.timestampSeconds) < around.toleranceSeconds - 10
    const signed = isFresh ? undefined : newHeaders(event, nowSeconds)
    return { headers: signed ?? replayableHeaders(event.rawHeaders), signedAgain: signed !== undefined }
  }

  /** `undefined` where the secret that verified the event is no longer given. */
  function newHeaders(event: JournalEvent, nowSeconds: number): Record<string, string> | undefined {
    const secret = around.secrets.find(({ name }) => name === event.secret)?.secret
    if (secret === undefined) return undefined
    const { id, body } = event
    const signed = signatureHeaders({ secrets: [secret], id, timestampSeconds: nowSeconds, body })
    return { ...replayableHeaders(event.rawHeaders), ...signed }
  }

  async function resend(event: JournalEvent, urls: readonly string[]): Promise<void> {
    const { timeoutMs = 30_000, ca } = options
    const signed = newHeaders(event, Math.floor(around.now() / 1000))
    const headers = signed ?? replayableHeaders(event.rawHeaders)
    const signedAgain = signed !== undefined
    const sends = urls.map(async (url) => {
      const outcome = await post({ url, headers, body: event.body, timeoutMs, signal: aborting.signal, ca })
      const delivered = outcome.answered && outcome.status >= 200 && outcome.status < 300
      around.onRecord(recordOf({ url, event, outcome, attempt: 1, delivered, signedAgain, retryInMs: undefined }))
    })
    await Promise.all(sends)
  }

  /** Whether the end could be recorded; where not, the journal has failed and its listener reports that. */
  async function finish(end: { seq: number; url: string; delivered: boolean; attempts: number; outcome: PostOutcome }) {
    const status = end.outcome.answered ? end.outcome.status : undefined
    return around.journal.forwards.finish({ ...end, status }).then(
      () => true,
      () => false,
    )
  }

  function wait(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: stopping.signal }).catch(() => {
      // Woken by stop: the loop looks at the signal itself.
    })
  }

  function recordOf(sent: {
    url: string
    event: JournalEvent
    outcome: PostOutcome
    attempt: number
    delivered: boolean
    signedAgain: boolean
    retryInMs: number | undefined
  }): ForwardedRecord {
    const { url, event, outcome, attempt, delivered, signedAgain, retryInMs } = sent
    const slow = outcome.durationMs > slowAfterMs
    return {
      type: 'forwarded',
      eventId: event.id,
      eventType: event.eventType ?? null,
      deliveryId: event.deliveryId ?? null,
      url,
      status: outcome.answered ? outcome.status : null,
      durationMs: outcome.durationMs,
      attempt,
      delivered,
      signedAgain,
      ...(outcome.answered ? {} : { error: outcome.message }),
      ...(slow ? { warning: 'slower than 5 s; the service gives up after 10 s' } : {}),
      ...(options.showResponse === true && outcome.answered ? { body: outcome.body.toString() } : {}),
      ...(retryInMs === undefined ? {} : { retryInMs }),
    }
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
