import type { HandlerOutcome } from 'dlv-cli/webhooks'

interface Event {
  eventType: string
  occurredAt: string
  delivery?: { deliveryId?: string; status?: string } | null | undefined
}

/** The shop's orders; a database table in real life. */
const orders = new Map<string, { status: string; asOf: string }>()

/** Events arrive in any order: the newest snapshot wins. */
export function applyEvent({ occurredAt, delivery }: Event): HandlerOutcome {
  if (delivery?.deliveryId === undefined || delivery.status === undefined) return 'ignored'
  const known = orders.get(delivery.deliveryId)
  if (known !== undefined && Date.parse(known.asOf) > Date.parse(occurredAt)) return 'outdated'
  orders.set(delivery.deliveryId, { status: delivery.status, asOf: occurredAt })
  return 'processed'
}
