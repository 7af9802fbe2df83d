import { ContractError, type EventPage, limits } from '../contract/index.js'
import { dayMs } from '../shared/durations.js'
import { sleep as abortableSleep } from '../shared/sleep.js'
import { type ListedEvent, listedEvents, type NamedSecret, signatureHeaders, verify } from '../webhooks/index.js'
import type { Listener } from './listener.js'

export interface PullOptions {
  /**
   * One page of the service's events, oldest first, and the bytes it was read from, so that what is kept is what was
   * sent: `(query) => client.call('listEvents', { query })`, which keeps to the rate limit.
   */
  listEvents(query: {
    since: string
    cursor?: string
    limit: number
  }): Promise<{ value: EventPage; body?: Uint8Array | undefined }>
  listener: Pick<Listener, 'take' | 'has' | 'cursor' | 'setCursor'>
  /** What to sign with; the first of the listener's secrets. */
  secret: NamedSecret
  /** Where to start the first time; a later run goes on where the last one was. */
  sinceMs?: number
  /** The cursor's name, one for each account: `pull` unless given. */
  cursorName?: string
  /** Between two polls that found nothing; 2,000 unless given. */
  intervalMs?: number
  onError?: (error: unknown) => void
  signal: AbortSignal
  now?: () => number
  sleep?: (ms: number) => Promise<void>
}

/**
 * How far each poll looks back behind the newest event it has seen: events of one moment may become visible one after
 * the other. What is known already is skipped.
 */
const overlapMs = 60_000
const pageSize = 100

/**
 * Fetches events from the service's list, signs each locally, and hands it to the listener as though it had been
 * posted; the journal labels it as pulled. Ends when the signal says so. Errors of one poll are reported, and the
 * next poll follows after a growing pause.
 */
export async function pullEvents(options: PullOptions): Promise<void> {
  const now = options.now ?? Date.now
  const cursorName = options.cursorName ?? 'pull'
  const intervalMs = options.intervalMs ?? 2_000
  const sleep = options.sleep ?? ((ms: number) => abortableSleep(ms, options.signal))
  let seenMs = Number(options.listener.cursor(cursorName) ?? options.sinceMs ?? now())
  let failures = 0
  const unusable = new Set<string>()
  while (!options.signal.aborted) {
    try {
      const oldestMs = now() - limits.eventRetentionDays * dayMs + overlapMs
      const newestMs = await pollOnce(options, Math.max(oldestMs, seenMs - overlapMs), now, unusable)
      if (newestMs > seenMs) {
        seenMs = newestMs
        await options.listener.setCursor(cursorName, String(seenMs))
      }
      failures = 0
    } catch (error) {
      if (options.signal.aborted) return
      failures++
      options.onError?.(error)
    }
    await sleep(intervalMs * 2 ** Math.min(failures, 5))
  }
}

/** Takes every page since a time; answers the newest `occurredAt` that is safely kept. */
async function pollOnce(
  options: PullOptions,
  sinceMs: number,
  now: () => number,
  unusable: Set<string>,
): Promise<number> {
  let newestMs = 0
  let cursor: string | undefined
  do {
    const query = {
      since: new Date(sinceMs).toISOString(),
      limit: pageSize,
      ...(cursor === undefined ? {} : { cursor }),
    }
    const { value: page, body = new Uint8Array() } = await options.listEvents(query)
    for (const listed of listedEvents(page, body)) {
      const event = listed.record
      if (options.signal.aborted) return newestMs
      if (!options.listener.has(event.eventId) && !unusable.has(event.eventId)) {
        const problem = await takePulled(options, listed, now())
        if (problem !== undefined) {
          // Said once, and passed over: one broken event must not hold up the rest.
          unusable.add(event.eventId)
          options.onError?.(problem)
        }
      }
      const occurredAtMs = Date.parse(event.occurredAt)
      if (occurredAtMs > newestMs) newestMs = occurredAtMs
    }
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && !options.signal.aborted)
  return newestMs
}

async function takePulled(
  options: PullOptions,
  { record: event, body }: ListedEvent,
  nowMs: number,
): Promise<ContractError | undefined> {
  const timestampSeconds = Math.floor(nowMs / 1000)
  const signed = signatureHeaders({ secrets: [options.secret.secret], id: event.eventId, timestampSeconds, body })
  const rawHeaders = ['content-type', 'application/json', ...Object.entries(signed).flat()]
  const verdict = verify({
    secrets: [options.secret.secret],
    headers: rawHeaders,
    body,
    nowSeconds: timestampSeconds,
    maxBodyBytes: Number.POSITIVE_INFINITY,
  })
  if (!verdict.ok) {
    const message = `event ${event.eventId} of the service's list cannot be taken: ${verdict.message}`
    return new ContractError(message, { operation: 'listEvents', issues: [verdict.message] })
  }
  await options.listener.take({ acceptance: verdict, rawHeaders, body })
  return undefined
}
