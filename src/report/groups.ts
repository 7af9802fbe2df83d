import type { EventFact } from '../trade/event-fact.js'
import type { DeliveryFigures } from '../trade/figures.js'
import type { PromiseRules } from '../trade/promise.js'
import { shownZoneOf, type ZonedStop } from '../trade/zip-zones.js'
import { type LocalTime, localTimeOf } from '../trade/zoned-time.js'

export const groupings = ['store', 'hour', 'day', 'reason', 'installation', 'driver', 'zip', 'profile'] as const
export type Grouping = (typeof groupings)[number]

/** Orders keys of groups: those without a value (`null`) last. */
export function compareKeys(one: string | null, other: string | null): number {
  return Number(one === null) - Number(other === null) || ((one ?? '') < (other ?? '') ? -1 : 1)
}

/**
 * The group of a delivery.
 *
 * @param timeZone zone of `hour` and `day`; the store's own if absent, UTC if that is not known
 */
export function keyOf(history: CountedDelivery, grouping: Grouping, timeZone: string | undefined): string | null {
  const { latest } = history
  const start = grouping === 'hour' || grouping === 'day' ? localStart(history, timeZone) : undefined
  switch (grouping) {
    case 'store':
      return latest.storeReference ?? null
    case 'installation':
      return latest.installationCode ?? null
    case 'driver':
      return latest.driverId ?? null
    case 'zip':
      return latest.postalCode?.slice(0, 5) ?? null
    case 'profile':
      return history.account?.name ?? null
    case 'reason':
      return history.endReason ?? null
    case 'hour':
      return start === undefined ? null : twoDigits(start.hour)
    case 'day':
      return start === undefined ? null : dayText(start)
  }
}

/** When a delivery started, on the clocks of its store. */
function localStart(history: CountedDelivery, timeZone: string | undefined): LocalTime | undefined {
  return history.startedMs === undefined
    ? undefined
    : localTimeOf(history.startedMs, timeZone ?? countedZoneOf(history.latest).zone)
}

/** `YYYY-MM-DD`. */
export function dayText({ year, month, day }: LocalTime): string {
  return `${year}-${twoDigits(month)}-${twoDigits(day)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

/** One delivery, as a report counts it. */
export interface CountedDelivery extends DeliveryFigures {
  /** The latest snapshot of the delivery, without what only its statuses say. */
  readonly latest: DeliveryFacts
  readonly firstEtaMs: number | undefined
  readonly windowStartMs: number | undefined
  readonly windowEndMs: number | undefined
  /** Its account, in a report on several: the name, and what was promised there. */
  readonly account?: { name: string; promises: PromiseRules } | undefined
}

/** The facts of a delivery by which it is grouped, judged and paid. */
type DeliveryFacts = Pick<
  EventFact,
  | 'clientOrderReference'
  | 'storeReference'
  | 'installationCode'
  | 'driverId'
  | 'postalCode'
  | 'state'
  | 'currency'
  | 'totalPriceCents'
  | 'tipAmountCents'
  | 'cancellationFeeCents'
  | 'proofs'
  | 'requiredProofs'
>

/** The zone that a delivery's hours and days are counted in. */
interface CountedZone {
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
