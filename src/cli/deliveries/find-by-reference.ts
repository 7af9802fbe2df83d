import type { Client } from '../../client/index.js'
import type { Delivery } from '../../contract/index.js'

/** The delivery with this order reference, whole; `undefined` where there is none. */
export async function lookUp(client: Client, clientOrderReference: string): Promise<Delivery | undefined> {
  const page = await client.listDeliveries({ query: { clientOrderReference } })
  const [found] = page.deliveries
  return found === undefined ? undefined : client.getDelivery({ deliveryId: found.deliveryId })
}
