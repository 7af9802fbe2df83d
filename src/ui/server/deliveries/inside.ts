import { isRecord } from '../../../shared/json.js'
import type { RouteCall } from '../route.js'

/** The sandbox's data on a delivery beyond the contract. */
export async function insideOf(
  { backend }: RouteCall,
  deliveryId: string,
): Promise<Record<string, unknown> | undefined> {
  const inside = await backend.control?.('GET', `/deliveries/${encodeURIComponent(deliveryId)}`)
  return isRecord(inside) ? inside : undefined
}
