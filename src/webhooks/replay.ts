import { existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from '../contract/index.js'
import { makeFolder } from '../shared/directory.js'
import { sleep as abortableSleep } from '../shared/sleep.js'
import { targetName } from '../shared/target-name.js'
import { isAccepted, type PostResult, post, redirectText } from './post.js'
import { eventIdOf, newEventId } from './sample-event.js'
import type { ParsedSecret } from './secret.js'
import { assertBody, type SignatureHeaders, signatureHeaders } from './signature.js'

/** Which events of a replay have been accepted, so that the same replay continues after a stop or a crash. */
export interface ReplayProgress {
  /** Whether the event was accepted. */
  has(eventId: string): boolean
  /** Resolves once the event is remembered durably. */
  add(eventId: string): Promise<void>
}

/** Progress in a file, one event id a line. */
export interface ReplayProgressFile extends ReplayProgress {
  /** Forgets everything: the next replay starts from the beginning. */
  clear(): void
}

/**
 * Progress that survives a crash: each id is synced to disk before the next event is sent. A line that a crash cut off
 * is dropped.
 *
 * @throws UsageError if the file is damaged; the file system's error if it cannot be read or written
 */
export function replayProgressFile(file: string): ReplayProgressFile {
  const sent = new Set(readLines(file))
  return {
    has: (eventId) => sent.has(eventId),
    async add(eventId) {
      makeFolder(dirname(file))
      const handle = await open(file, 'a', 0o600)
      try {
        await handle.appendFile(`${eventId}\n`)
        await handle.sync()
      } finally {
        await handle.close()
      }
      sent.add(eventId)
    },
    clear() {
      sent.clear()
      rmSync(file, { force: true })
    },
  }
}

function readLines(file: string): string[] {
  if (!existsSync(file)) return []
  const bytes = readFileSync(file)
  const lines = bytes.toString('utf8').split('\n')
  const cutOff = lines.pop() ?? ''
  const damaged = [...lines, ...(cutOff === '' ? [] : [cutOff])].findIndex((line) => !isEventId(line))
  if (damaged >= 0)
    throw new UsageError(`${file}, which keeps the place of this replay, is damaged at line ${damaged + 1}`, {
      hint: `Remove line ${damaged + 1} to send that event again, or the file to start from the beginning.`,
    })
  if (cutOff !== '') truncateSync(file, bytes.lastIndexOf('\n') + 1)
  return lines
}

/** Whether a line can be an event's id: bytes that are not text decode to replacement characters. */
function isEventId(line: string): boolean {
  return line !== '' && !/[\s\p{Cc}\ufffd]/u.test(line)
}

/** An event to send again, with the bytes of its webhook. */
export interface ReplayableEvent {
  /** The id of the event, and of its webhook. */
  id: string
  /** The exact bytes of its webhook. */
  body: Uint8Array
  /** The headers of the original request, names and values in turn; needed to send it verbatim. */
  rawHeaders?: readonly string[]
  /** The delivery whose order of events `afterFailure: 'other-deliveries'` keeps; an event without one stands alone. */
  deliveryId?: string | undefined
}

/** The events to send again, and how to send them. */
export interface ReplayInput {
  /** In the order in which they are to arrive. */
  events: Iterable<ReplayableEvent> | AsyncIterable<ReplayableEvent>
  /** The address of the receiver. */
  url: string
  /**
   * How to sign: with the secret and the current time, under the same id; `verbatim` sends the original bytes and
   * headers.
   */
  sign:
    | {
        /** One signature for each. */
        secrets: readonly (string | ParsedSecret)[]
      }
    | 'verbatim'
  /** Maximum rate. Default: no limit. */
  eventsPerSecond?: number
  /** Delays before the retries of an event that failed. */
  retryDelaysMs?: readonly number[]
  /**
   * After an event that failed: `stop`, which keeps the order of all events, or continue with `other-deliveries`, which
   * keeps the order within each delivery. An unreachable receiver ends the replay in both cases. Default `stop`.
   */
  afterFailure?: 'stop' | 'other-deliveries'
  /** Events that an earlier run sent are skipped, and those sent now are added. */
  progress?: ReplayProgress
  /** Timeout of one request in milliseconds. Default 10,000. */
  timeoutMs?: number
  /** Ends the replay at once, also during a wait. */
  signal?: AbortSignal
  /** Certificates to trust in addition to the system's. */
  ca?: string
  /** Replaces the clock, for tests. */
  clock?: ReplayClock
}

/** The clock of a replay. */
export interface ReplayClock {
  /** Wall-clock time in milliseconds since the epoch, to sign with. */
  now(): number
  /** Monotonic time in milliseconds, to measure delays and rates. */
  monotonicMs(): number
  /** Waits; ends early if the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
}

const systemClock: ReplayClock = {
  now: Date.now,
  monotonicMs: () => performance.now(),
  sleep: abortableSleep,
}

/** The result of one event. */
export interface ReplayResult {
  /** The id of the event. */
  eventId: string
  /** The receiver, without user, password and query. */
  url: string
  /** `skipped`: an earlier run of the same replay sent it. `held`: not sent, because one before it of its delivery failed. */
  outcome: 'delivered' | 'failed' | 'skipped' | 'held'
  /** The HTTP status of the last response; `null` if there was none. */
  status: number | null
  /** Duration of the last attempt, in milliseconds. */
  durationMs: number
  /** Number of attempts. */
  attempts: number
  /** Why it failed. */
  error?: string
}

/**
 * Sends past events to a receiver one by one, in order, and yields the result of each. Ends when the signal aborts, or
 * after the first event that fails, unless `afterFailure` is set. After a crash, the next run may send the last event
 * again, which receivers must handle as a duplicate.
 *
 * @throws UsageError if a secret is invalid
 */
export async function* replayEvents(input: ReplayInput): AsyncGenerator<ReplayResult, void, undefined> {
  const { url, progress, signal, afterFailure = 'stop', clock = systemClock } = input
  const gapMs = input.eventsPerSecond === undefined ? 0 : 1000 / input.eventsPerSecond
  const held = new Set<string>()
  let isFirst = true
  let nextAtMs = clock.monotonicMs()
  for await (const event of input.events) {
    if (signal?.aborted) return
    const isSent = progress?.has(event.id) === true
    if (isSent || (event.deliveryId !== undefined && held.has(event.deliveryId))) {
      const outcome = isSent ? 'skipped' : 'held'
      yield { eventId: event.id, url: targetName(url), outcome, status: null, durationMs: 0, attempts: 0 }
      continue
    }
    const waitMs = nextAtMs - clock.monotonicMs()
    if (waitMs > 0) await clock.sleep(waitMs, signal)
    nextAtMs = Math.max(nextAtMs, clock.monotonicMs()) + gapMs
    const delivered = await deliver(input, event, isFirst, clock)
    if (delivered === undefined) return
    const { result, isUnreachable } = delivered
    if (result.outcome === 'delivered') await progress?.add(event.id)
    yield result
    if (result.outcome === 'failed') {
      if (afterFailure === 'stop' || isUnreachable) return
      if (event.deliveryId !== undefined) held.add(event.deliveryId)
    }
    isFirst = false
  }
}

/** The result of an event after its attempts; `undefined` if the signal cut them off. */
async function deliver(
  input: ReplayInput,
  event: ReplayableEvent,
  isFirst: boolean,
  clock: ReplayClock,
): Promise<{ result: ReplayResult; isUnreachable: boolean } | undefined> {
  const delays = input.retryDelaysMs ?? [1_000, 5_000]
  const { url, timeoutMs = 10_000, signal, ca } = input
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) return undefined
    const headers = headersOf(input, event, clock.now())
    const outcome = await post({ url, headers, body: event.body, timeoutMs, signal, ca })
    const result = resultOf(
      { eventId: event.id, url: targetName(url), durationMs: outcome.durationMs, attempts: attempt },
      outcome,
    )
    const isUnreachable = !outcome.answered && ['refused', 'name-not-found', 'tls'].includes(outcome.failure)
    if (result.outcome === 'delivered') return { result, isUnreachable }
    if (signal?.aborted) return undefined
    const delayMs = delays[attempt - 1]
    // An app that was never reachable is not running; retrying would only delay the error.
    const isDown = isFirst && !outcome.answered && outcome.failure === 'refused'
    if (isDown || delayMs === undefined) return { result, isUnreachable }
    await clock.sleep(delayMs, signal)
  }
}

function headersOf({ sign }: ReplayInput, { id, body, rawHeaders = [] }: ReplayableEvent, nowMs: number) {
  if (sign !== 'verbatim') {
    return webhookHeaders(signatureHeaders({ ...sign, id, timestampSeconds: Math.floor(nowMs / 1000), body }))
  }
  return replayableHeaders(rawHeaders)
}

/**
 * The headers of an original request that a replay sends again: its type and the three signed headers, values
 * unchanged.
 */
export function replayableHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = { 'content-type': 'application/json' }
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (name === 'content-type' || name.startsWith('webhook-')) kept[name] = rawHeaders[index + 1] ?? ''
  }
  return kept
}

function redirectError(outcome: PostResult): string | undefined {
  const text = redirectText(outcome)
  return text === undefined ? undefined : `the receiver ${text}`
}

function resultOf(
  sent: Pick<ReplayResult, 'eventId' | 'url' | 'durationMs' | 'attempts'>,
  outcome: PostResult,
): ReplayResult {
  if (!outcome.answered) return { ...sent, outcome: 'failed', status: null, error: outcome.message }
  const { status } = outcome
  if (isAccepted(outcome)) return { ...sent, outcome: 'delivered', status }
  return { ...sent, outcome: 'failed', status, error: redirectError(outcome) ?? `the receiver answered ${status}` }
}

/** The event to sign and send, and its receiver. */
export interface SendInput {
  /** The address of the receiver. */
  url: string
  /** One secret, or several: one signature for each. */
  secrets: string | ParsedSecret | readonly (string | ParsedSecret)[]
  /** Sent byte for byte. */
  body: Uint8Array | string
  /** The `webhook-id`. Default: the body's `eventId`, or a new one if it has none. */
  id?: string
  /** The time of signing. Default: now. */
  timestampSeconds?: number
  /** Timeout of the request in milliseconds. Default 10,000. */
  timeoutMs?: number
  /** Ends the request. */
  signal?: AbortSignal
  /** Certificates to trust besides the system's own. */
  ca?: string
}

/** The request that was sent, and its result. */
export type Sent = PostResult & {
  /** The `webhook-id`. */
  id: string
  /** The headers of the signature. */
  signed: SignatureHeaders
}

/**
 * Signs a body and posts it as the service would. The outcome is an answer of any status, or why there was none.
 *
 * @throws UsageError if a secret cannot be used or the body is neither bytes nor a text, TypeError if the URL is none.
 */
export async function sendEvent(input: SendInput): Promise<Sent> {
  assertBody(input.body)
  const body = Buffer.from(input.body)
  const id = input.id ?? eventIdOf(body) ?? newEventId()
  const timestampSeconds = input.timestampSeconds ?? Math.floor(Date.now() / 1000)
  const signed = signatureHeaders({ secrets: input.secrets, id, timestampSeconds, body })
  const { url, timeoutMs = 10_000, signal, ca } = input
  const outcome = await post({ url, headers: webhookHeaders(signed), body, timeoutMs, signal, ca })
  return { ...outcome, id, signed }
}

/** All headers of a webhook, around its three signed ones. */
export function webhookHeaders(signed: SignatureHeaders): Record<string, string> {
  return { 'content-type': 'application/json', 'user-agent': 'dlv-webhooks', ...signed }
}
