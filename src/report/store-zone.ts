import { shownZoneOf, type ZonedStop } from '../trade/zip-zones.js'

/** The zone that a delivery's hours and days are counted in. */
export interface CountedZone {
  zone: string
  /** The ZIP code or the state, if nobody is sure of its zone. */
  unsureOf?: string | undefined
}

/** Many deliveries go to the same few thousand ZIP codes. */
const known = new Map<string, CountedZone>()
const knownMax = 50_000

/** The zone of a stop; one that lies in two gets that of its post office, and one that nobody knows gets UTC. */
export function countedZoneOf({ postalCode, state }: ZonedStop): CountedZone {
  const key = `${postalCode?.slice(0, 5)} ${state}`
  const found = known.get(key)
  if (found !== undefined) return found
  const { zone = 'UTC', isSure } = shownZoneOf({ postalCode, state })
  const named = postalCode?.slice(0, 5) ?? state
  const counted = isSure ? { zone } : { zone, unsureOf: named ?? 'no ZIP code' }
  if (known.size >= knownMax) known.clear()
  known.set(key, counted)
  return counted
}
