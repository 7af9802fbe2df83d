import { setTimeout as pause } from 'node:timers/promises'
import { isTaken, type PostOutcome, post } from './post.js'
import { webhookHeaders } from './send-event.js'
import { signatureHeaders } from './signature.js'

/** An event to send once more, with the bytes it has or had. */
export interface ReplayableEvent {
  id: string
  body: Uint8Array
  /** The headers of the original request, names and values in turn; needed to send it verbatim. */
  rawHeaders?: readonly string[]
}

/** Where a replay remembers how far it came; `write` resolves once that is durable. */
export interface ReplayCursor {
  read(): Promise<string | undefined> | string | undefined
  write(eventId: string): Promise<void>
  /** Forgets the place: the replay came to its end, and the next one begins anew. */
  clear?(): Promise<void>
}

export interface ReplayInput {
  /** In the order in which they are to arrive. */
  events: Iterable<ReplayableEvent> | AsyncIterable<ReplayableEvent>
  url: string
  /** What to sign with, afresh and under the same id; `verbatim` sends the bytes and headers as they were. */
  sign: { secrets: readonly string[] } | 'verbatim'
  /** At most so many a second; no limit unless given. */
  eventsPerSecond?: number
  /** Pauses before an event that failed is tried again; after them the replay stops, so that order holds. */
  retryDelaysMs?: readonly number[]
  cursor?: ReplayCursor
  timeoutMs?: number
  signal?: AbortSignal
  ca?: string
  onResult?: (result: ReplayResult) => void
  now?: () => number
  sleep?: (ms: number) => Promise<void>
}

export interface ReplayResult {
  eventId: string
  /** The receiver. */
  url: string
  /** `skipped`: an earlier run of the same replay had sent it. */
  outcome: 'delivered' | 'failed' | 'skipped'
  status: number | null
  durationMs: number
  attempts: number
  error?: string
}

export interface ReplaySummary {
  delivered: number
  skipped: number
  /** The event at which the replay stopped; absent where it came to its end. */
  stoppedAt?: ReplayResult
}

/**
 * Sends past events to a receiver, one after the other in their order. The cursor moves after each 2xx, so a replay
 * that was killed goes on where it was; the one event that was under way may come twice, which receivers must bear. At
 * the end the cursor is cleared, so that the same replay can be asked for once more. Stops at the first event that
 * cannot be delivered, or when the signal says so.
 *
 * @throws UsageError where a secret cannot be used.
 */
export async function replayEvents(input: ReplayInput): Promise<ReplaySummary> {
  const now = input.now ?? Date.now
  const sleep = input.sleep ?? ((ms: number) => pause(ms))
  const gapMs = input.eventsPerSecond === undefined ? 0 : 1000 / input.eventsPerSecond
  const summary: ReplaySummary = { delivered: 0, skipped: 0 }
  let sentUpTo = await input.cursor?.read()
  const held: ReplayableEvent[] = []
  let nextAtMs = now()

  const send = async (event: ReplayableEvent): Promise<boolean> => {
    if (input.signal?.aborted) return false
    const waitMs = nextAtMs - now()
    if (waitMs > 0) await sleep(waitMs)
    nextAtMs = Math.max(nextAtMs, now()) + gapMs
    const result = await deliver(input, event, summary.delivered === 0, sleep, now)
    input.onResult?.(result)
    if (result.outcome === 'failed') {
      summary.stoppedAt = result
      return false
    }
    summary.delivered++
    await input.cursor?.write(event.id)
    return true
  }

  for await (const event of input.events) {
    if (sentUpTo === undefined) {
      if (!(await send(event))) return summary
      continue
    }
    held.push(event)
    if (event.id !== sentUpTo) continue
    for (const { id } of held.splice(0)) {
      summary.skipped++
      input.onResult?.({ eventId: id, url: input.url, outcome: 'skipped', status: null, durationMs: 0, attempts: 0 })
    }
    sentUpTo = undefined
  }
  // A cursor that names none of these events belongs to another replay: everything is sent.
  for (const event of held) if (!(await send(event))) return summary
  await input.cursor?.clear?.()
  return summary
}

async function deliver(
  input: ReplayInput,
  event: ReplayableEvent,
  isFirst: boolean,
  sleep: (ms: number) => Promise<void>,
  now: () => number,
): Promise<ReplayResult> {
  const delays = input.retryDelaysMs ?? [1_000, 5_000]
  const { url, timeoutMs = 10_000, signal, ca } = input
  for (let attempt = 1; ; attempt++) {
    const headers = headersOf(input, event, now())
    const outcome = await post({ url, headers, body: event.body, timeoutMs, signal, ca })
    const result = resultOf({ eventId: event.id, url, durationMs: outcome.durationMs, attempts: attempt }, outcome)
    const delayMs = delays[attempt - 1]
    // An app that was never there is not up yet: waiting would only put off saying so.
    const isDown = isFirst && !outcome.answered && outcome.failure === 'refused'
    if (result.outcome === 'delivered' || isDown || delayMs === undefined || signal?.aborted === true) return result
    await sleep(delayMs)
  }
}

function headersOf({ sign }: ReplayInput, { id, body, rawHeaders = [] }: ReplayableEvent, nowMs: number) {
  if (sign !== 'verbatim') {
    return webhookHeaders(signatureHeaders({ ...sign, id, timestampSeconds: Math.floor(nowMs / 1000), body }))
  }
  return replayableHeaders(rawHeaders)
}

/** What of an original request is sent again: its type and the three signed headers, values untouched. */
export function replayableHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = { 'content-type': 'application/json' }
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (name === 'content-type' || name.startsWith('webhook-')) kept[name] = rawHeaders[index + 1] ?? ''
  }
  return kept
}

function resultOf(
  sent: Pick<ReplayResult, 'eventId' | 'url' | 'durationMs' | 'attempts'>,
  outcome: PostOutcome,
): ReplayResult {
  if (!outcome.answered) return { ...sent, outcome: 'failed', status: null, error: outcome.message }
  const { status } = outcome
  if (isTaken(outcome)) return { ...sent, outcome: 'delivered', status }
  return { ...sent, outcome: 'failed', status, error: `the receiver answered ${status}` }
}
