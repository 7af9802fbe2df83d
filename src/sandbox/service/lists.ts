import { z } from 'zod'
import { limits, type OutputOf, timeMs } from '../../contract/index.js'
import { dayMs, hourMs } from '../../shared/durations.js'
import { readCursor, writeCursor } from '../core/installations-drivers-teams.js'
import { Refusal } from '../core/refusal.js'
import { timestamp } from '../core/trip-times.js'
import type { HandlerInput, World } from '../model.js'
import type { DeliverySummary } from '../store/deliveries.js'
import type { RecordedEvent } from '../store/events.js'
import type { Store } from '../store/store.js'

/** Without an upper bound a list holds everything so far, steps that ran ahead of the clock included. */
const NO_END = Number.MAX_SAFE_INTEGER

/** The operations that the store answers without the core. */
export const listHandlers = { listDeliveries: { decide: listDeliveries }, listEvents: { decide: listEvents } }

/** The end of a page: a time, and an identifier that breaks ties. */
const DeliveryKey = z.tuple([z.int(), z.string()])
const EventKey = z.tuple([z.int(), z.int()])

/** Newest first, or the one delivery with a reference. Answers with JSON text. */
function listDeliveries(world: World, input: HandlerInput<'listDeliveries'>, store: Store): string {
  const query = input.query ?? {}
  const accountId = world.account.accountId
  if (query.clientOrderReference !== undefined) return lookUp(store, world, query.clientOrderReference, query.status)
  if (query.from === undefined) {
    throw refusedQuery('from', 'REQUIRED', 'is required unless clientOrderReference is given')
  }
  const fromMs = timeMs(query.from)
  const toMs = query.to === undefined ? NO_END : timeMs(query.to)
  if (fromMs >= toMs) throw refusedQuery('from', 'INVALID_RANGE', 'must be before "to"')
  const { from, to, status } = query
  const filters = { accountId, from, to, status }
  const [atMs, id] = query.cursor === undefined ? [] : readCursor('deliveries', filters, DeliveryKey, query.cursor)
  const after = atMs === undefined || id === undefined ? undefined : { atMs, id }
  const limit = query.limit ?? limits.pageSizeDefault
  const rows = store.deliveries.list({ accountId, fromMs, toMs, status, after, limit: limit + 1 })
  const last = rows.length > limit ? rows[limit - 1] : undefined
  const nextCursor = last === undefined ? null : writeCursor('deliveries', filters, [last.createdAtMs, last.deliveryId])
  const page: OutputOf<'listDeliveries'> = { deliveries: rows.slice(0, limit).map(listed), nextCursor }
  return JSON.stringify(page)
}

function lookUp(store: Store, world: World, reference: string, status: string | undefined): string {
  const found = store.deliveries.byReference(world.account.accountId, reference)
  const isWanted = found !== undefined && (status === undefined || found.status === status)
  const deliveries = isWanted ? [listed({ ...found, status: found.shownStatus ?? found.status })] : []
  return JSON.stringify(world.switches.lookupShape === 'array' ? deliveries : { deliveries, nextCursor: null })
}

function listed(row: DeliverySummary): OutputOf<'listDeliveries'>['deliveries'][number] {
  const { deliveryId, clientOrderReference, status } = row
  const createdAt = timestamp(row.createdAtMs)
  const updatedAt = timestamp(row.updatedAtMs)
  return { deliveryId, clientOrderReference, status, createdAt, updatedAt }
}

/** Oldest first. Answers with JSON text in which every `data` is the webhook's body, byte for byte. */
function listEvents(world: World, input: HandlerInput<'listEvents'>, store: Store): string {
  const query = input.query ?? {}
  const accountId = world.account.accountId
  const oldestMs = world.nowMs - limits.eventRetentionDays * dayMs
  const sinceMs =
    query.since === undefined ? world.nowMs - limits.eventsDefaultSinceHours * hourMs : timeMs(query.since)
  const untilMs = query.until === undefined ? NO_END : timeMs(query.until)
  // A later page continues from its cursor, although time has passed since the first one was asked for.
  if (query.cursor === undefined && sinceMs < oldestMs) {
    throw refusedQuery('since', 'TOO_OLD', `must be at most ${limits.eventRetentionDays} days ago`)
  }
  if (sinceMs > untilMs) throw refusedQuery('since', 'INVALID_RANGE', 'must not be after "until"')
  const { since, until, delivered, deliveryId, eventType } = query
  const filters = { accountId, since, until, delivered, deliveryId, eventType }
  const [atMs, seq] = query.cursor === undefined ? [] : readCursor('events', filters, EventKey, query.cursor)
  const after = atMs === undefined || seq === undefined ? undefined : { atMs, seq }
  const limit = query.limit ?? limits.pageSizeDefault
  const fromMs = after === undefined ? sinceMs : Math.min(sinceMs, after.atMs)
  const rows = store.events.list({
    accountId,
    sinceMs: fromMs,
    untilMs,
    delivered,
    deliveryId,
    eventTypes: eventType,
    after,
    limit: limit + 1,
  })
  const last = rows.length > limit ? rows[limit - 1] : undefined
  const nextCursor = last === undefined ? null : writeCursor('events', filters, [last.occurredAtMs, last.seq])
  const shown = rows.slice(0, limit).map((row) => recordJson(row, world.switches.lastDeliveryStatus === 'null'))
  return `{"events":[${shown.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`
}

function recordJson(event: RecordedEvent, hidesSuccess: boolean): string {
  const lastDeliveryStatus = event.outcome === 'delivered' && hidesSuccess ? null : event.outcome
  const lastAttemptAt = event.lastAttemptAtMs === undefined ? null : timestamp(event.lastAttemptAtMs)
  const rest = JSON.stringify({
    eventId: event.eventId,
    eventType: event.eventType,
    occurredAt: timestamp(event.occurredAtMs),
    livemode: event.livemode,
    deliveryId: event.deliveryId,
    deliveryAttempts: event.attempts,
    lastDeliveryStatus,
    lastAttemptAt,
  })
  return `${rest.slice(0, -1)},"data":${event.body}}`
}

function refusedQuery(name: string, code: string, message: string): Refusal {
  const field = `query.${name}`
  return new Refusal('VALIDATION_ERROR', `The request is malformed: ${field} ${message}.`, {
    status: 400,
    fieldErrors: [{ field, code, message }],
  })
}
