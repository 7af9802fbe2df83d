import { postalCodeOf, type QuoteCreate } from '../../../contract/index.js'
import type { DeliveryWay } from '../../../drawings/way.js'
import { isRecord } from '../../../shared/json.js'
import type { InstallationRow, World } from '../../model.js'
import { seedInstallations } from '../fixtures.js'
import { hashBetween } from '../hash.js'
import { distanceKm, locateZip, type Point } from './geography.js'
import { type Store, storeByReference } from './stores.js'

type Dropoff = QuoteCreate['dropoff']

/** Roads are longer than the crow's flight. */
const roadFactor = 1.35

/** The distance if it is unknown: for a ZIP code that is in no table. */
const nominalRoadKm = 8

/** The five digits of a dropoff's postal code. */
export function dropoffZip(dropoff: Pick<Dropoff, 'address'>): string {
  return (postalCodeOf(dropoff.address) ?? '').slice(0, 5)
}

/**
 * Where a stop is: the centre of its ZIP code. Installations often have a ZIP code of their own that no table lists,
 * so theirs is looked for before an approximation by the first three digits is taken.
 */
export function locateStop(
  world: Pick<World, 'installation' | 'installations'>,
  dropoff: Dropoff,
): LocatedStop | undefined {
  const zip = dropoffZip(dropoff)
  const located = locateZip(zip)
  if (located !== undefined && !located.approximate) return { ...located, zip }
  const atZip = () => world.installations().find((installation) => installation.postalCode === zip)
  return namedInstallation(world, dropoff) ?? atZip() ?? (located && { ...located, zip })
}

/** The installation that a stop names; `undefined` if it names none, or one that does not exist. */
export function namedInstallation(
  world: Pick<World, 'installation'>,
  dropoff: { installation?: { code?: string | undefined } | undefined },
): InstallationRow | undefined {
  const code = dropoff.installation?.code
  return code === undefined ? undefined : world.installation(code)
}

/** A stop, with the ZIP code that it was located by. */
interface LocatedStop extends Point {
  zip?: string
  /** Whether the place is that of all ZIP codes with the same first three digits. */
  approximate?: boolean
}

/**
 * Kilometres by road from the store to the stop. In the store's own area the centre of the area says little: it is near,
 * also if that centre is across a river.
 */
export function roadKm(store: Store, stop: LocatedStop | undefined): number {
  if (stop === undefined) return nominalRoadKm
  const km = distanceKm(store, stop) * roadFactor
  const digits = stop.approximate === true ? 3 : 5
  const isSameArea = stop.zip !== undefined && stop.zip.slice(0, digits) === store.postalCode.slice(0, digits)
  return isSameArea ? Math.min(km, nominalRoadKm) : km
}

/** A driver's starting point: 1.5 to 4 km from the store, in a direction that depends only on the order. */
export function depotOf(store: Point, seed: string): Point {
  const awayKm = approachKm(seed)
  const bearing = hashBetween(0, 2 * Math.PI, seed, 'bearing')
  const kmPerDegree = 111.195
  return {
    latitude: store.latitude + (awayKm * Math.cos(bearing)) / kmPerDegree,
    longitude:
      store.longitude + (awayKm * Math.sin(bearing)) / (kmPerDegree * Math.cos((store.latitude * Math.PI) / 180)),
  }
}

/** The driver's distance to the store. */
export function approachKm(seed: string): number {
  return hashBetween(1.5, 4, seed, 'approach')
}

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
    dropoff: stop && { ...position(stop), postalCode: dropoffZip(dropoff) },
  }
}
