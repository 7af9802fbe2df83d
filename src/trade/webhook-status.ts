import type { Tone } from './statuses.js'

/** The outcome of an event's webhook. */
export type WebhookStatus = 'delivered' | 'pending' | 'failed' | 'no_endpoint_configured'

/** The words of the contract for a webhook that has not been delivered. */
export const unsuccessful: readonly string[] = ['pending', 'failed', 'no_endpoint_configured'] satisfies WebhookStatus[]

/**
 * The outcome of an event's webhook. The contract has no word for success: delivered is what was attempted and has none of
 * the words for the rest. `undefined` if the service does not say.
 */
export function webhookStatusOf(
  lastDeliveryStatus: string | null | undefined,
  attempts: number | null | undefined,
): WebhookStatus | undefined {
  if (unsuccessful.includes(lastDeliveryStatus ?? '')) return lastDeliveryStatus as WebhookStatus
  return (attempts ?? 0) > 0 || lastDeliveryStatus === 'delivered' ? 'delivered' : undefined
}

/** The tone of a webhook's status, of an attempt's outcome or of a forward's state. A word for no success is bad. */
export function webhookTone(status: string): Exclude<Tone, 'active'> {
  if (status === 'no_endpoint_configured') return 'neutral'
  return status === 'delivered' ? 'good' : status === 'pending' || status === 'retrying' ? 'warn' : 'bad'
}
