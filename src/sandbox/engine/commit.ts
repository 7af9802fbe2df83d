import type { Decision, EventDraft } from '../model.js'
import type { Endpoint } from '../store/endpoints.js'
import type { Engine } from './engine.js'
import { withRuleFaults } from './event-faults.js'
import { hooksFor } from './fault-rules.js'
import { delayOf } from './sending-faults.js'

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
