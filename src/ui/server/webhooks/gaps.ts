import { operationDescriptors } from '../../../contract/index.js'
import { findGaps, pullEvents } from '../../../listener/index.js'
import { dayMs } from '../../../shared/durations.js'
import { eventPages, type ListedEvent } from '../../../webhooks/index.js'
import type { Done } from '../../wire/deliveries.js'
import type { GapList } from '../../wire/webhooks.js'
import type { Backend } from '../backend.js'
import { serviceNowMs } from '../clock.js'
import { Refused } from '../route.js'

const longestList = 500

/** The events of the last day that the service has and the journal lacks. */
export async function gapsOf(backend: Backend, most = longestList): Promise<GapList> {
  const { journal } = backend
  if (journal === undefined) throw new Refused(409, 'NO_JOURNAL', 'There is no journal to compare the events with.')
  const since = new Date((await serviceNowMs(backend)) - dayMs).toISOString()
  const missing: GapList['gaps'] = []
  for await (const gap of findGaps(journal, listedEvents(backend, since))) {
    const { eventId, eventType, occurredAt, deliveryId, lastDeliveryStatus } = gap
    missing.push({ eventId, eventType, occurredAt, deliveryId, lastDeliveryStatus })
    if (missing.length >= most) return { gaps: missing, since, isCut: true }
  }
  return { gaps: missing, since, isCut: false }
}

async function* listedEvents({ client }: Backend, since: string): AsyncGenerator<ListedEvent> {
  for await (const { events } of eventPages((query) => eventPage(client, { since, ...query }))) yield* events
}

async function eventPage(client: Backend['client'], query: Record<string, string | number>): Promise<Uint8Array> {
  const { method, path } = operationDescriptors.listEvents
  const { status, body } = await client.raw({ method, path, query: { limit: 100, ...query } })
  if (status < 300) return body
  throw new Refused(502, 'NO_EVENTS', `The service answered ${status} when it was asked for its events.`)
}

/** Fetches what the journal lacks from the service's list, as `webhooks listen --since` does. */
export async function fetchMissing(backend: Backend): Promise<Done> {
  const { listener, secrets, client } = backend
  const [secret] = secrets
  if (listener === undefined || secret === undefined)
    throw new Refused(409, 'NO_LISTENER', 'No listener runs in this process.', 'Start dlv webhooks listen --ui.')
  const before = (await gapsOf(backend, Number.POSITIVE_INFINITY)).gaps.length
  const failures: unknown[] = []
  await pullEvents({
    listener,
    secret: () => secret,
    once: true,
    sinceMs: (await serviceNowMs(backend)) - dayMs,
    signal: AbortSignal.timeout(60_000),
    listEvents: (query) => eventPage(client, query),
    serviceNow: () => serviceNowMs(backend),
    onError: (error) => failures.push(error),
  })
  const [failure] = failures
  if (failure !== undefined) throw failure
  const left = (await gapsOf(backend, Number.POSITIVE_INFINITY)).gaps.length
  return {
    message:
      left === 0
        ? `Fetched ${before} missing ${before === 1 ? 'event' : 'events'}.`
        : `Fetched ${before - left}; ${left} are still missing.`,
  }
}
