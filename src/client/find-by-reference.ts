import type { Delivery } from '../contract/index.js'
import type { Client } from './client.js'
import type { CallOptions } from './options.js'

/** The delivery with this `clientOrderReference`, whole; `undefined` if there is none. */
export async function findByReference(
  client: Pick<Client, 'listDeliveries' | 'getDelivery'>,
  clientOrderReference: string,
  options?: CallOptions,
): Promise<Delivery | undefined> {
  const { deliveries } = await client.listDeliveries({ query: { clientOrderReference } }, options)
  const [found] = deliveries
  return found === undefined ? undefined : client.getDelivery({ deliveryId: found.deliveryId }, options)
}
