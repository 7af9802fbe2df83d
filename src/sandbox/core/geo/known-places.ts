import type { DeliveryWay } from '../../../drawings/way.js'
import { isRecord } from '../../../shared/json.js'
import { seedInstallations } from '../fixtures.js'
import { deliveryPlaces } from './delivery-places.js'

let world: Parameters<typeof deliveryPlaces>[0] | undefined

function knownWorld() {
  const rows = seedInstallations(0)
  const byCode = new Map(rows.map((row) => [row.code, row]))
  return { installation: (code: string) => byCode.get(code), installations: () => rows }
}

/** Places of a delivery of any service, as far as the sandbox's tables of stores, ZIP codes and installations tell. */
export function knownPlaces(delivery: Record<string, unknown>): Pick<DeliveryWay, 'store' | 'gate' | 'dropoff'> {
  const { pickup, dropoff } = delivery
  if (!isRecord(dropoff) || dropoff.address == null) return {}
  world ??= knownWorld()
  return deliveryPlaces(world, { pickup, dropoff } as unknown as Parameters<typeof deliveryPlaces>[1])
}
