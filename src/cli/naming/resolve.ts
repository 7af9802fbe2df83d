import type { CallOptions, Client } from '../../client/index.js'
import type { DeliveryListItem } from '../../contract/index.js'
import { parseDeliveryName } from './delivery-name.js'
import { AmbiguousReferenceError, UnknownReferenceError } from './failure.js'

type Lookup = Pick<Client, 'listDeliveries'>

/** A delivery that was named; `found` is what the lookup by its reference returned. */
export interface NamedDelivery {
  deliveryId: string
  found?: DeliveryListItem
}

/**
 * The delivery that a user named by its id, which takes no request, or by the order's reference.
 *
 * @param service opens the service; called only for a reference
 * @throws DeliveryReferenceError if no delivery has the reference, or several have it
 * @throws UsageError for a name that cannot be looked up
 */
export async function namedDelivery(
  service: () => Promise<Lookup> | Lookup,
  text: string,
  options?: CallOptions,
): Promise<NamedDelivery> {
  const name = parseDeliveryName(text)
  if ('deliveryId' in name) return name
  const { clientOrderReference } = name
  const { deliveries } = await (await service()).listDeliveries({ query: { clientOrderReference } }, options)
  const [found, another] = deliveries
  if (found === undefined) throw new UnknownReferenceError(clientOrderReference)
  if (another !== undefined) throw new AmbiguousReferenceError(clientOrderReference, deliveries)
  return { deliveryId: found.deliveryId, found }
}
