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
