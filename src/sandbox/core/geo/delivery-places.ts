import type { DeliveryWay } from '../../../drawings/way.js'
import type { World } from '../../model.js'
import { locateStop, namedInstallation, zipOf } from './places.js'
import { storeByReference } from './stores.js'

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
