import { minuteMs } from '../shared/durations.js'
import { localTimeOf, weekdayOf } from '../trade/zoned-time.js'
import type { DeliveryHistory } from './delivery-history.js'
import { dayText, zoneOf } from './groups.js'

/** The deliveries that began in each hour of each weekday, and the results of each day. */
export interface Activity {
  /** Seven rows from Monday to Sunday, each of 24 counts. */
  weekdayHours: number[][]
  /** The zone of all hours and days; each store's own if absent. */
  timeZone?: string | undefined
  /** In the order of the days; days without a delivery are left out. */
  days: { day: string; deliveries: number; delivered: number; failed: number }[]
}

/** The clocks of a zone never change within a quarter of an hour, nor does their hour. */
const quarterMs = 15 * minuteMs

/** Counts deliveries by the clocks of their stores, or by one zone for all. */
export function activityOf(histories: readonly DeliveryHistory[], timeZone?: string): Activity {
  const weekdayHours = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0))
  const days = new Map<string, Activity['days'][number]>()
  /** Where the last delivery of a zone was counted: the next one mostly began in the same quarter of an hour. */
  const places = new Map<string, { quarter: number; hours: number[]; hour: number; counts: Activity['days'][number] }>()
  const placeOf = (startedMs: number, zone: string, quarter: number) => {
    const start = localTimeOf(startedMs, zone)
    const day = dayText(start)
    const counts = days.get(day) ?? { day, deliveries: 0, delivered: 0, failed: 0 }
    days.set(day, counts)
    return { quarter, hours: weekdayHours[weekdayOf(start) - 1] ?? [], hour: start.hour, counts }
  }
  for (const history of histories) {
    const { startedMs, outcome } = history
    if (startedMs === undefined) continue
    const [zone, quarter] = [zoneOf(history, timeZone), Math.floor(startedMs / quarterMs)]
    const known = places.get(zone)
    const place = known?.quarter === quarter ? known : placeOf(startedMs, zone, quarter)
    if (place !== known) places.set(zone, place)
    const { hours, hour, counts } = place
    hours[hour] = (hours[hour] ?? 0) + 1
    counts.deliveries++
    if (outcome === 'delivered') counts.delivered++
    else if (outcome !== 'active') counts.failed++
  }
  return {
    weekdayHours,
    timeZone,
    days: [...days.values()].sort((one, other) => (one.day < other.day ? -1 : 1)),
  }
}
