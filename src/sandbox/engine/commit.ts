import { terminalStatuses } from '../../contract/index.js'
import { minuteMs } from '../../shared/durations.js'
import { isRecord } from '../../shared/json.js'
import { timestamp } from '../core/trip-times.js'
import { contentFaultsOf, delayOf, locationBurst, withContentFaults } from '../core/webhook-faults.js'
import type { Decision, EventDraft } from '../model.js'
import type { Endpoint } from '../store/attempts.js'
import type { DeliveryOutcome } from '../store/events.js'
import type { Store } from '../store/store.js'
import { hooksFor } from './drawn-faults.js'
import type { Engine } from './engine.js'

/** Writes everything of a decision, within the transaction that it was made in. */
export function commitDecision(engine: Engine, decision: Decision, nowMs: number): void {
  const { store } = engine
  for (const delivery of decision.deliveries ?? []) store.deliveries.save(delivery)
  for (const quote of decision.quotes ?? []) store.quotes.save(quote)
  for (const installation of decision.installations ?? []) store.fixtures.saveInstallation(installation)
  for (const driver of decision.drivers ?? []) store.fixtures.saveDriver(driver)
  for (const driverId of decision.removedDriverIds ?? []) store.fixtures.removeDriver(driverId)
  if (decision.capacity !== undefined) store.settings.set('capacity', decision.capacity)
  recordEvents(engine, decision.events ?? [], nowMs)
}

/** Whether a decision asks for anything to be written. */
export function isReadOnly(decision: Decision): boolean {
  const { deliveries, quotes, installations, drivers, removedDriverIds, events, capacity } = decision
  const lists = [deliveries, quotes, installations, drivers, removedDriverIds, events]
  return capacity === undefined && lists.every((list) => list === undefined || list.length === 0)
}

/** Records events and puts a webhook for each into the outbox, receiver by receiver, in the running transaction. */
function recordEvents(engine: Engine, drafts: readonly EventDraft[], nowMs: number): void {
  const endpoints = engine.store.endpoints.list()
  for (const draft of drafts) {
    const ruleHooks = hooksFor(engine, draft.eventType)
    if (ruleHooks.length === 0) {
      recordEvent(engine, draft, endpoints, nowMs)
      continue
    }
    const hooked = { ...draft, hooks: [...new Set([...draft.hooks, ...ruleHooks])] }
    const faulty = withRuleFaults(hooked, ruleHooks, () => engine.identifiers.next('evt', nowMs))
    for (const one of faulty) recordEvent(engine, one, endpoints, nowMs)
  }
}

function recordEvent(engine: Engine, draft: EventDraft, endpoints: readonly Endpoint[], nowMs: number): void {
  const { store } = engine
  const receivers = endpoints.filter((endpoint) => takes(endpoint, draft))
  const isGap = draft.hooks.includes('gap')
  const outcome = receivers.length === 0 ? 'no_endpoint_configured' : isGap ? 'failed' : 'pending'
  const body = JSON.stringify(draft.body)
  const seq = store.events.append(draft, body, outcome)
  if (isGap) return
  const dueAtMs = nowMs + delayOf(draft.hooks)
  const isShuffled = draft.hooks.includes('shuffle')
  const lane = isShuffled || draft.deliveryId === null ? draft.eventId : draft.deliveryId
  // Shuffled events keep their moment and lose their order in it.
  const position = isShuffled ? Math.floor(engine.random() * 1_000_000_000) : seq
  for (const { endpointId } of receivers) {
    store.webhooks.enqueue({ eventSeq: seq, endpointId, lane, dueAtMs }, position)
  }
}

/** Whether a receiver gets an event: one of its account and of a kind that it is registered for. */
export function takes(endpoint: Endpoint, event: Pick<EventDraft, 'accountId' | 'audience'>): boolean {
  if (endpoint.disabled || endpoint.accountId !== event.accountId) return false
  return endpoint.kind === 'all' || endpoint.kind === event.audience
}

const LATE_BY_MS = minuteMs

/**
 * One event with the content faults of the sandbox's rules worked in, and the events that they add. The faults that an
 * order itself asks for are in the event already. `newId` gives identifiers of events.
 */
function withRuleFaults(draft: EventDraft, hooks: readonly string[], newId: () => string): EventDraft[] {
  const content = contentFaultsOf(hooks)
  if (content.length === 0) return [draft]
  const changed = { ...draft, body: withContentFaults(content, draft.body) }
  return [changed, ...companions(changed, content, newId)]
}

function companions(draft: EventDraft, hooks: readonly string[], newId: () => string): EventDraft[] {
  const delivery = draft.body.delivery
  if (!isRecord(delivery)) return []
  const { previousStatus, ...rest } = draft.body
  const status = draft.eventType.replace('delivery.', '')
  const another = (eventType: string, occurredAtMs: number, change: Record<string, unknown>): EventDraft => {
    const eventId = newId()
    const occurredAt = timestamp(occurredAtMs)
    return { ...draft, eventId, eventType, occurredAtMs, body: { ...rest, eventId, eventType, occurredAt, ...change } }
  }
  const added: EventDraft[] = []
  if (hooks.includes('unknowntype') && delivery.status === status) {
    added.push(another('delivery.teleported', draft.occurredAtMs, {}))
  }
  if (hooks.includes('locationburst') && status === 'driver_enroute_to_dropoff') {
    for (let step = 1; step <= locationBurst.length; step++) {
      added.push(another('delivery.driver_location_updated', draft.occurredAtMs, { delivery: moved(delivery, step) }))
    }
  }
  if (hooks.includes('latearrival') && terminalStatuses.has(status)) {
    const before = { ...delivery, status: previousStatus ?? 'accepted' }
    added.push(another('delivery.driver_location_updated', draft.occurredAtMs - LATE_BY_MS, { delivery: before }))
  }
  return added
}

function moved(delivery: Record<string, unknown>, step: number): Record<string, unknown> {
  const driver = delivery.driver
  if (!isRecord(driver) || !isRecord(driver.location)) return delivery
  const latitude = Number(driver.location.latitude) + step * locationBurst.stepDegrees
  const location = { ...driver.location, latitude: Number(latitude.toFixed(5)) }
  return { ...delivery, driver: { ...driver, location } }
}

/** Sums up the deliveries of an event to all of its receivers, within the running `write`. */
export function keepEventOutcome(store: Store, seq: number, lastAttemptAtMs?: number): void {
  const webhooks = store.webhooks.ofEvent(seq)
  const attempts = webhooks.reduce((sum, webhook) => sum + webhook.attempts, 0)
  store.events.saveOutcome(seq, outcomeOf(webhooks), attempts, lastAttemptAtMs)
}

function outcomeOf(webhooks: readonly { outcome: string | null }[]): DeliveryOutcome {
  // Its receivers were removed before anything was sent to them.
  if (webhooks.length === 0) return 'no_endpoint_configured'
  if (webhooks.some(({ outcome }) => outcome === null)) return 'pending'
  return webhooks.some(({ outcome }) => outcome === 'failed') ? 'failed' : 'delivered'
}

/** Removes a receiver. What was still to be sent to it is given up, and its events say so. */
export function removeEndpoint(store: Store, endpointId: string): boolean {
  for (const seq of store.webhooks.abandon(endpointId)) keepEventOutcome(store, seq)
  return store.endpoints.remove(endpointId)
}
