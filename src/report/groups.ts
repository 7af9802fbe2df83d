import { type LocalTime, localTimeOf } from '../trade/zoned-time.js'
import type { CountedDelivery } from './counted-delivery.js'
import { countedZoneOf } from './store-zone.js'

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
