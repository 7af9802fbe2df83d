import { ApiError, type Delivery } from '../contract/index.js'
import { sleep } from '../shared/sleep.js'
import type { Client } from './client.js'
import type { CallOptions } from './options.js'

/** Delays for a delivery that is listed but cannot be read yet: less than two seconds in total. */
const delaysMs = [200, 400, 1_000]

/** The delivery with this `clientOrderReference`, whole; `undefined` if there is none. */
export async function findByReference(
  client: Pick<Client, 'listDeliveries' | 'getDelivery'>,
  clientOrderReference: string,
  options?: CallOptions,
): Promise<Delivery | undefined> {
  const { deliveries } = await client.listDeliveries({ query: { clientOrderReference } }, options)
  const [found] = deliveries
  if (found === undefined) return undefined
  const { deliveryId } = found
  for (const delayMs of delaysMs) {
    try {
      return await client.getDelivery({ deliveryId }, options)
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error
    }
    await sleep(delayMs, options?.signal)
  }
  return client.getDelivery({ deliveryId }, options)
}
