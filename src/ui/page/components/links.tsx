import { knownReference } from '../state/deliveries.js'
import { addressOf } from '../state/router.js'

/** A link to an event by its type. */
export function EventLink({ eventId, type }: { eventId: string; type: string | null }) {
  return <a href={addressOf(`/events/${encodeURIComponent(eventId)}`)}>{type ?? eventId}</a>
}

interface DeliveryLinkProps {
  deliveryId: string | null | undefined
  reference: string | null | undefined
}

/** A link to a delivery by its reference, or by its id if that is not known; nothing for what concerns no delivery. */
export function DeliveryLink({ deliveryId, reference }: DeliveryLinkProps) {
  if (deliveryId == null) return null
  const name = reference ?? knownReference(deliveryId) ?? deliveryId
  return (
    <a class="reference" href={addressOf(`/deliveries/${encodeURIComponent(deliveryId)}`)} title={name}>
      {name}
    </a>
  )
}
