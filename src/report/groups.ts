import { type DeliveryHistory, startOf, unhappyEnd } from './delivery-history.js'
import { zoneOfStop } from './store-zone.js'

export const groupings = ['store', 'hour', 'day', 'reason', 'installation', 'driver', 'zip'] as const
export type Grouping = (typeof groupings)[number]

/**
 * The groups of a set of deliveries, in the order of their keys, those without a value (`null`) last.
 *
 * @param timeZone zone of `hour` and `day`; the store's own if absent, UTC if that is not known
 */
export function groupBy(
  histories: readonly DeliveryHistory[],
  grouping: Grouping,
  timeZone?: string,
): { key: string | null; histories: DeliveryHistory[] }[] {
  const groups = new Map<string | null, DeliveryHistory[]>()
  for (const history of histories) {
    const key = keyOf(history, grouping, timeZone)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [history])
    else group.push(history)
  }
  return [...groups]
    .map(([key, members]) => ({ key, histories: members }))
    .sort((one, other) => Number(one.key === null) - Number(other.key === null) || compare(one.key, other.key))
}

function compare(one: string | null, other: string | null): number {
  return (one ?? '') < (other ?? '') ? -1 : 1
}

function keyOf(history: DeliveryHistory, grouping: Grouping, timeZone: string | undefined): string | null {
  const { latest } = history
  switch (grouping) {
    case 'store':
      return latest.storeReference ?? null
    case 'installation':
      return latest.installationCode ?? null
    case 'driver':
      return latest.driverId ?? null
    case 'zip':
      return latest.postalCode?.slice(0, 5) ?? null
    case 'reason':
      return unhappyEnd(history)?.statusReasonCode ?? null
    case 'hour':
      return localTime(history, timeZone)?.slice(11, 13) ?? null
    case 'day':
      return localTime(history, timeZone)?.slice(0, 10) ?? null
  }
}

/** `YYYY-MM-DDTHH` of the start of a delivery on the clocks of its store. */
export function localTime(history: DeliveryHistory, timeZone?: string): string | undefined {
  const startMs = startOf(history)
  if (startMs === undefined) return undefined
  return formatter(timeZone ?? zoneOfStop(history.latest) ?? 'UTC')
    .format(startMs)
    .replace(' ', 'T')
}

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Swedish writes a date and an hour as ISO 8601 does. */
function formatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  })
  formatters.set(timeZone, made)
  return made
}
