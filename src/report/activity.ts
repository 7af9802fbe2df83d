import { minuteMs } from '../shared/durations.js'
import { localTimeOf, weekdayOf } from '../trade/zoned-time.js'
import { type CountedDelivery, countedZoneOf, dayText } from './groups.js'

/** The deliveries that began in each hour of each weekday, and the results of each day. */
export interface Activity {
  /** Seven rows from Monday to Sunday, each of 24 counts. */
  weekdayHours: number[][]
  /** The zone of all hours and days; each store's own if absent. */
  timeZone?: string | undefined
  /** ZIP codes and states whose zone is not sure, with the zone that their hours are counted in. */
  unsureZones: { place: string; zone: string; deliveries: number }[]
  /** In the order of the days; days without a delivery are left out. */
  days: { day: string; deliveries: number; delivered: number; failed: number }[]
}

/** `2 deliveries to 57601 by the time of America/Chicago`; empty if every zone is sure. */
export function unsureZonesText({ unsureZones }: Activity): string {
  const byZone = new Map<string, { places: string[]; deliveries: number }>()
  for (const { place, zone, deliveries } of unsureZones) {
    const all = byZone.get(zone) ?? { places: [], deliveries: 0 }
    all.places.push(place)
    all.deliveries += deliveries
    byZone.set(zone, all)
  }
  return [...byZone]
    .map(([zone, { places, deliveries }]) => {
      const more = places.length > 3 ? ` and ${places.length - 3} more` : ''
      const count = deliveries === 1 ? '1 delivery' : `${deliveries.toLocaleString('en-US')} deliveries`
      return `${count} to ${places.slice(0, 3).join(', ')}${more} by the time of ${zone}`
    })
    .join(', ')
}

interface Place {
  quarter: number
  /** The counts of the weekday. */
  hours: number[]
  hour: number
  counts: Activity['days'][number]
}

/** The clocks of a zone never change within a quarter of an hour, nor does their hour. */
const quarterMs = 15 * minuteMs

/** Counts deliveries by the clocks of their stores, or by one zone for all. */
export class ActivityTally {
  readonly #timeZone: string | undefined
  readonly #weekdayHours = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0))
  readonly #unsure = new Map<string, Activity['unsureZones'][number]>()
  readonly #days = new Map<string, Activity['days'][number]>()
  /** Where the last delivery of a zone was counted: the next one mostly began in the same quarter of an hour. */
  readonly #places = new Map<string, Place>()

  constructor(timeZone: string | undefined) {
    this.#timeZone = timeZone
  }

  /** Adds a delivery by the moment at which it started. */
  add(history: CountedDelivery, startedMs: number): void {
    const zone = this.#timeZone ?? this.#countedZone(history)
    const quarter = Math.floor(startedMs / quarterMs)
    let place = this.#places.get(zone)
    if (place?.quarter !== quarter) {
      place = this.#placeOf(startedMs, zone, quarter)
      this.#places.set(zone, place)
    }
    const { hours, hour, counts } = place
    hours[hour] = (hours[hour] ?? 0) + 1
    counts.deliveries++
    if (history.outcome === 'delivered') counts.delivered++
    else if (history.outcome !== 'active') counts.failed++
  }

  #countedZone({ latest }: CountedDelivery): string {
    const { zone, unsureOf } = countedZoneOf(latest)
    if (unsureOf === undefined) return zone
    const unsure = this.#unsure.get(unsureOf) ?? { place: unsureOf, zone, deliveries: 0 }
    unsure.deliveries++
    this.#unsure.set(unsureOf, unsure)
    return zone
  }

  #placeOf(startedMs: number, zone: string, quarter: number): Place {
    const start = localTimeOf(startedMs, zone)
    const day = dayText(start)
    const counts = this.#days.get(day) ?? { day, deliveries: 0, delivered: 0, failed: 0 }
    this.#days.set(day, counts)
    return { quarter, hours: this.#weekdayHours[weekdayOf(start) - 1] ?? [], hour: start.hour, counts }
  }

  activity(): Activity {
    return {
      weekdayHours: this.#weekdayHours,
      timeZone: this.#timeZone,
      unsureZones: [...this.#unsure.values()].sort((one, other) => other.deliveries - one.deliveries),
      days: [...this.#days.values()].sort((one, other) => (one.day < other.day ? -1 : 1)),
    }
  }
}
