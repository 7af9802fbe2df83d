import { hash } from 'node:crypto'
import { ApiError, type EventRecord } from '../../contract/index.js'
import { tryParseJson } from '../../shared/json.js'
import type { Outage } from '../output/outage.js'
import type { EventQuery, EventService } from './event-service.js'

/** How to follow events. */
interface TailOptions {
  /** By the service's clock, in milliseconds since the epoch; default: now. */
  sinceMs: number | undefined
  intervalMs: number
  signal: AbortSignal
  /** Told of an outage, which is waited out from the last event on. */
  outage: Outage
  /** Called for an event that cannot be shown. */
  warn(text: string): void
}

/** The number of ids that are remembered, so that an event that is listed again is printed once. */
const rememberedIds = 100_000

/**
 * Events as they happen, oldest first, each once; ends when the signal aborts.
 *
 * @throws the error of the first request, and of a key that the service refuses
 */
export async function* tailEvents(
  service: EventService,
  query: EventQuery,
  { sinceMs, intervalMs, signal, warn, outage }: TailOptions,
): AsyncGenerator<EventRecord, void, undefined> {
  const { followEvents } = await import('../../listener/index.js')
  const seen = new Set<string>()
  let isKnown = false
  const pages = followEvents({
    listEvents: (page) => service.listEvents({ ...query, ...page }),
    // Only a list that was read to its end ends an outage.
    async onListed() {
      outage.ended()
      isKnown = true
    },
    serviceNow: service.nowMs,
    sinceMs,
    intervalMs,
    signal,
    onError(error) {
      if (!isKnown || !(outage.canEnd(error) || isOddRefusal(error))) throw error
      outage.began(error)
    },
    onWarning: (problem) => warn(problem.message),
  })
  for await (const { events, nameless } of pages) {
    isKnown = true
    for (const record of nameless) {
      const key = hash('sha256', record)
      if (!seen.has(key)) warn("An event of the service's list has no eventId and was skipped.")
      seen.add(key)
    }
    for (const { eventId, record } of events) {
      if (seen.has(eventId)) continue
      seen.add(eventId)
      const [oldest] = seen
      if (seen.size > rememberedIds && oldest !== undefined) seen.delete(oldest)
      const value = tryParseJson(record, 'answer')?.value
      if (value === undefined) warn(`Event ${eventId} of the service's list cannot be read and was skipped.`)
      else yield value as EventRecord
    }
  }
}

/** A refusal of what the service has answered before, but for a key's: nobody changed the question. */
function isOddRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status !== 401 && error.status !== 403
}
