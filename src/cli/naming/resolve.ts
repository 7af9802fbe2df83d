import type { CallOptions, Client } from '../../client/index.js'
import { ApiError, type DeliveryListItem } from '../../contract/index.js'
import { parseDeliveryName } from './delivery-name.js'
import { AmbiguousReferenceError, UnknownReferenceError } from './failure.js'

type Lookup = Pick<Client, 'listDeliveries' | 'getDelivery'>

/** A delivery that was named; `found` is what the lookup by its reference returned. */
export interface NamedDelivery {
  deliveryId: string
  found?: DeliveryListItem
}

/**
 * The delivery that a user named by its id or by the order's reference. What begins with `del_` is an id and takes no
 * request; the contract promises no form of ids, so that a word that no order has as its reference can be an id too.
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
  const client = await service()
  const { deliveries } = await client.listDeliveries({ query: { clientOrderReference } }, options)
  const [found, another] = deliveries
  if (found === undefined) return withId(client, text, options)
  if (another !== undefined) throw new AmbiguousReferenceError(clientOrderReference, deliveries)
  return { deliveryId: found.deliveryId, found }
}

async function withId(client: Lookup, text: string, options: CallOptions | undefined): Promise<NamedDelivery> {
  const unknown = new UnknownReferenceError(text.replace(/^ref:/, ''))
  if (text.startsWith('ref:')) throw unknown
  try {
    const found = await client.getDelivery({ deliveryId: text }, options)
    return { deliveryId: found.deliveryId, found }
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) throw unknown
    throw error
  }
}
