import type { Client } from '../../client/index.js'
import { systemClock } from '../../client/index.js'
import { isOutage } from '../../client/internal.js'
import { type Delivery, type EventRecord, terminalStatuses } from '../../contract/index.js'
import type { Outage } from '../output/outage.js'

/** When a watch ends. */
export interface WatchOptions {
  /** The status to wait for; default: any final one. */
  until?: string | undefined
  /** Maximum wait in milliseconds. Default: no limit. */
  forMs?: number | undefined
  /** Continue after `failed`, which a return may follow. */
  followReturns?: boolean | undefined
  /** Stop at `dispatch_failed`, which may still recover. */
  failFast?: boolean | undefined
  pollMs?: number | undefined
  signal: AbortSignal
  nowMs(): number
  /** The service has answered this command: from the start, an outage is waited out. */
  isKnown?: boolean | undefined
  /** Told of each failure that is waited out, and of each answer. */
  outage?: Pick<Outage, 'began' | 'ended'> | undefined
}

/** A step of a watch: first the delivery, then its events. */
type Sighting = { delivery: Delivery } | { event: EventRecord }

/** The end of a watch. */
type WatchEnd = 'reached' | 'elsewhere' | 'too-late' | 'interrupted'

const defaultPollMs = 2_000

/**
 * Watches a delivery by its events; the delivery itself is read once, at the start. Yields what it sees and returns how
 * it ended, with the last status.
 */
export async function* watchDelivery(
  client: Client,
  deliveryId: string,
  options: WatchOptions,
): AsyncGenerator<Sighting, { end: WatchEnd; status: string }, undefined> {
  const startedMs = performance.now()
  const read = () => client.getDelivery({ deliveryId })
  let delivery = await patiently(client, read, options)
  while (delivery === undefined) {
    const leftMs = options.forMs === undefined ? defaultPollMs : startedMs + options.forMs - performance.now()
    if (options.signal.aborted || leftMs <= 0)
      return { end: options.signal.aborted ? 'interrupted' : 'too-late', status: 'unknown' }
    await systemClock.sleep(Math.min(options.pollMs ?? defaultPollMs, leftMs), options.signal)
    delivery = await patiently(client, read, options)
  }
  yield { delivery }
  let status: string = delivery.status
  let since = delivery.updatedAt ?? delivery.createdAt ?? new Date(options.nowMs() - 60_000).toISOString()
  const seen = new Set<string>()
  let isFirst = true
  for (;;) {
    const end = endOf(status, options, new Set((delivery.statusHistory ?? []).map((entry) => entry.status ?? '')))
    if (end !== undefined) return { end, status }
    if (options.signal.aborted) return { end: 'interrupted', status }
    const leftMs =
      options.forMs === undefined ? Number.POSITIVE_INFINITY : startedMs + options.forMs - performance.now()
    if (leftMs <= 0) return { end: 'too-late', status }
    const limits = Number.isFinite(leftMs) ? { timeoutMs: Math.max(1, Math.min(leftMs, 60_000)) } : undefined
    const query = { deliveryId, since }
    // Read whole before anything is said: what an outage cuts off is read again from the same event on.
    const listed = await patiently(client, () => Array.fromAsync(client.each('listEvents', query, limits)), options)
    for (const event of listed ?? []) {
      if (seen.has(event.eventId)) continue
      seen.add(event.eventId)
      since = event.occurredAt > since ? event.occurredAt : since
      const reached = statusOf(event)
      // Earlier events are already in the delivery's history.
      if (isFirst && delivery.updatedAt != null && event.occurredAt <= delivery.updatedAt) continue
      yield { event }
      if (reached !== undefined) status = reached
      if (reached !== undefined && endOf(reached, options) !== undefined) break
    }
    if (listed !== undefined) isFirst = false
    if (endOf(status, options) !== undefined) continue
    await systemClock.sleep(Math.min(options.pollMs ?? defaultPollMs, leftMs), options.signal)
  }
}

/** An answer, or `undefined` during an outage: of a service that has answered this client before. */
async function patiently<Answer>(
  client: Client,
  ask: () => Promise<Answer>,
  { outage, signal, isKnown = false }: WatchOptions,
): Promise<Answer | undefined> {
  try {
    const answer = await ask()
    outage?.ended()
    return answer
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(isKnown || client.serviceNowMs() !== undefined) || !isOutage(error)) throw error
    outage?.began(error)
    return undefined
  }
}

const informational = new Set(['driver_location_updated', 'eta_updated', 'proof_of_delivery_added'])

/** The status that an event leads to; `undefined` if it changes none. */
function statusOf({ eventType }: EventRecord): string | undefined {
  const [subject, status] = eventType.split('.')
  return subject === 'delivery' && status !== undefined && !informational.has(status) ? status : undefined
}

function endOf(status: string, options: WatchOptions, passed: ReadonlySet<string> = new Set()): WatchEnd | undefined {
  const { until, followReturns, failFast } = options
  if (status === until || (until !== undefined && passed.has(until))) return 'reached'
  if (status === 'failed' && followReturns) return undefined
  if (terminalStatuses.has(status)) return until === undefined && status === 'delivered' ? 'reached' : 'elsewhere'
  return status === 'dispatch_failed' && failFast ? 'elsewhere' : undefined
}
