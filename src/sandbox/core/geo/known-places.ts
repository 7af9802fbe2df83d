import type { DeliveryWay } from '../../../drawings/way.js'
import { isRecord } from '../../../shared/json.js'
import type { World } from '../../model.js'
import { seedInstallations } from '../fixtures.js'
import { locateStop, namedInstallation, zipOf } from './places.js'
import { storeByReference } from './stores.js'

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

type Order = {
  pickup?: { storeReference?: string | undefined } | undefined
  dropoff: Parameters<typeof locateStop>[1]
}

/** Store, gate and dropoff of a delivery, as far as anything tells where they are. */
export function deliveryPlaces(
  world: Pick<World, 'installation' | 'installations'>,
  { pickup, dropoff }: Order,
): Pick<DeliveryWay, 'store' | 'gate' | 'dropoff'> {
  const store = storeByReference(pickup?.storeReference ?? '')
  const installation = namedInstallation(world, dropoff)
  const stop = locateStop(world, dropoff)
  const position = ({ latitude, longitude }: { latitude: number; longitude: number }) => ({ latitude, longitude })
  return {
    store: store && { ...position(store), name: store.businessName },
    gate: installation && { name: dropoff.installation?.gate ?? installation.name },
    dropoff: stop && { ...position(stop), postalCode: zipOf(dropoff) },
  }
}
