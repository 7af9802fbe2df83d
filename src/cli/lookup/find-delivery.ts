import type { CallOptions, Client } from '../../client/index.js'
import { ApiError, type Delivery, type DeliveryListItem, UsageError } from '../../contract/index.js'
import { deliveryIdPrefix } from '../../shared/command-words.js'
import { trimmed } from '../../shared/texts.js'
import { parseDeliveryName } from './delivery-name.js'
import { AmbiguousNameError, AmbiguousReferenceError, UnknownReferenceError } from './errors.js'

type Lookup = Pick<Client, 'listDeliveries' | 'getDelivery'>

/** A delivery that was named; `found` is what the lookup by its reference returned. */
export interface NamedDelivery {
  deliveryId: string
  found?: DeliveryListItem
}

/** How a name is understood. */
export interface Naming extends CallOptions {
  /** Whether something is done to the delivery: a word that is not a reference is then not tried as an id. */
  forWrite?: boolean | undefined
  /** Gets the ids of deliveries that a lookup has found. */
  seen?: Set<string> | undefined
  /** The delivery that an order of this machine became, by its reference: a service may list it a moment later. */
  sentAs?: ((clientOrderReference: string) => Promise<string | undefined>) | undefined
}

/**
 * The delivery that a user named by its id or by the order's reference. What begins with `del_` or `id:` is an id and
 * takes no request. Anything else is a reference; to read, a word that no order has as its reference can be an id too,
 * because the contract promises no form of ids.
 *
 * @param service opens the service; called only for a reference
 * @throws DeliveryReferenceError if no delivery has the reference, several have it, or it is another delivery's id
 * @throws UsageError for a name that cannot be looked up
 */
export async function namedDelivery(
  service: () => Promise<Lookup> | Lookup,
  typed: string,
  { forWrite = false, sentAs, seen, ...options }: Naming = {},
): Promise<NamedDelivery> {
  const text = trimmed(typed)
  const name = parseDeliveryName(text)
  if ('deliveryId' in name) return name
  const { clientOrderReference } = name
  const client = await service()
  const { deliveries } = await client.listDeliveries({ query: { clientOrderReference } }, options)
  const [listed, another] = deliveries
  if (another !== undefined) throw new AmbiguousReferenceError(clientOrderReference, deliveries)
  const found = listed ?? (await sentFromHere(client, clientOrderReference, sentAs, options))
  const canBeId = !text.startsWith('ref:')
  if (found === undefined) {
    const other = canBeId && !forWrite ? await deliveryWith(client, text, options) : undefined
    if (other !== undefined) return { deliveryId: other.deliveryId, found: other }
    throw new UnknownReferenceError(clientOrderReference, canBeId && forWrite ? 'for a write' : undefined)
  }
  seen?.add(found.deliveryId)
  // A service whose ids have the prefix has no other id that is this word.
  if (canBeId && !found.deliveryId.startsWith(deliveryIdPrefix)) {
    const other = await deliveryWith(client, text, options)
    if (other !== undefined && other.deliveryId !== found.deliveryId)
      throw new AmbiguousNameError(text, found.deliveryId)
  }
  return { deliveryId: found.deliveryId, found }
}

/** The delivery of an order that was sent from here and is not listed yet. */
async function sentFromHere(
  client: Lookup,
  clientOrderReference: string,
  sentAs: Naming['sentAs'],
  options: CallOptions,
): Promise<Delivery | undefined> {
  const deliveryId = await sentAs?.(clientOrderReference)
  if (deliveryId === undefined) return undefined
  const delivery = await deliveryWith(client, deliveryId, options)
  // An id of a service that was set up again may be another order's by now.
  return delivery?.clientOrderReference === clientOrderReference ? delivery : undefined
}

async function deliveryWith(client: Lookup, deliveryId: string, options: CallOptions): Promise<Delivery | undefined> {
  try {
    return await client.getDelivery({ deliveryId }, options)
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return undefined
    // Text that no path can hold is not an id.
    if (error instanceof UsageError) return undefined
    throw error
  }
}
