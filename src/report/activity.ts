import { weekdayOf } from '../trade/zoned-time.js'
import type { DeliveryHistory } from './delivery-history.js'
import { dayText, localStart } from './groups.js'

/** The deliveries that began in each hour of each weekday, and the results of each day. */
export interface Activity {
  /** Seven rows from Monday to Sunday, each of 24 counts. */
  weekdayHours: number[][]
  /** The zone of all hours and days; each store's own if absent. */
  timeZone?: string | undefined
  /** In the order of the days; days without a delivery are left out. */
  days: { day: string; deliveries: number; delivered: number; failed: number }[]
}

/** Counts deliveries by the clocks of their stores, or by one zone for all. */
export function activityOf(histories: readonly DeliveryHistory[], timeZone?: string): Activity {
  const weekdayHours = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0))
  const days = new Map<string, Activity['days'][number]>()
  for (const history of histories) {
    const start = localStart(history, timeZone)
    if (start === undefined) continue
    const row = weekdayHours[weekdayOf(start) - 1]
    if (row !== undefined) row[start.hour] = (row[start.hour] ?? 0) + 1
    const day = dayText(start)
    const counts = days.get(day) ?? { day, deliveries: 0, delivered: 0, failed: 0 }
    days.set(day, counts)
    counts.deliveries++
    if (history.outcome === 'delivered') counts.delivered++
    else if (history.outcome !== 'active') counts.failed++
  }
  return {
    weekdayHours,
    timeZone,
    days: [...days.values()].sort((one, other) => (one.day < other.day ? -1 : 1)),
  }
}
