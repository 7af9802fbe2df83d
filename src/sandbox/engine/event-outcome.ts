import type { DeliveryOutcome } from '../store/events.js'
import type { Store } from '../store/store.js'

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
