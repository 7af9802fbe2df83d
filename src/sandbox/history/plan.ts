import { dayMs, hourMs, minuteMs } from '../../shared/durations.js'
import { addDays, localDateOf, localTimeToMs, weekdayOf } from '../../trade/zoned-time.js'
import type { Store } from '../core/geo/stores.js'
import type { ScriptedOutcome } from '../core/magic-tables.js'
import type { Dice } from './order-samples.js'

/** The kinds of period that a history can have. */
export const mixes = ['typical', 'bad-day', 'holiday'] as const
export type Mix = (typeof mixes)[number]

/** How a delivery of a history turns out, beyond its ordinary course. */
export type Course =
  /** Scripted for the autopilot. */
  | { kind: 'outcome'; outcome: ScriptedOutcome }
  /** The merchant cancels this many minutes after creation. */
  | { kind: 'cancelled'; afterMinutes: readonly [least: number, most: number] }
  /** Nobody takes it at first; the merchant's update so many minutes later has it dispatched again. */
  | { kind: 'recovers'; afterMinutes: readonly [least: number, most: number] }

interface CourseShare {
  /** Of all deliveries, from 0 to 1. */
  share: number
  course: Course
}

interface MixRules {
  /** Deliveries of an average day, against those of a typical one. */
  volume: number
  /** The factor by which trips take longer than usual. */
  delayFactor: number
  courses: readonly CourseShare[]
}

const failures: readonly [share: number, outcome: ScriptedOutcome][] = [
  [0.012, 'recipient_unavailable'],
  [0.004, 'recipient_refused'],
  [0.005, 'address_not_found'],
  [0.003, 'address_inaccessible'],
  [0.002, 'package_damaged'],
  [0.002, 'weather_or_road_closure'],
  [0.002, 'age_verification_failed'],
]

const troubles: readonly [share: number, course: Course][] = [
  [0.035, { kind: 'outcome', outcome: 'reassigning' }],
  [0.012, { kind: 'recovers', afterMinutes: [4, 15] }],
  [0.006, { kind: 'outcome', outcome: 'no_carrier_available' }],
  [0.018, { kind: 'cancelled', afterMinutes: [2, 18] }],
  [0.006, { kind: 'outcome', outcome: 'cancelled_by_carrier' }],
  [0.004, { kind: 'outcome', outcome: 'cancelled_by_recipient' }],
]

function courses(failureFactor: number, troubleFactor: number): CourseShare[] {
  return [
    ...failures.map(([share, outcome]) => ({
      share: share * failureFactor,
      course: { kind: 'outcome', outcome } as const,
    })),
    ...troubles.map(([share, course]) => ({ share: share * troubleFactor, course })),
  ]
}

export const mixRules: Readonly<Record<Mix, MixRules>> = {
  typical: { volume: 1, delayFactor: 1, courses: courses(1, 1) },
  'bad-day': { volume: 1, delayFactor: 1.2, courses: courses(3, 3) },
  holiday: { volume: 1.5, delayFactor: 1.08, courses: courses(1.2, 1.3) },
}

/** The course for a number in [0, 1); `undefined` for the ordinary one. */
export function courseFor(mix: Mix, fraction: number): Course | undefined {
  let sum = 0
  for (const { share, course } of mixRules[mix].courses) {
    sum += share
    if (fraction < sum) return course
  }
  return undefined
}

/** An order of a history: its time and its store. */
interface PlannedOrder {
  atMs: number
  store: Store
}

/** Relative number of orders in each hour of a day, with peaks at lunch and in the evening. */
const hourWeights = [0, 0, 0, 0, 0, 0, 0, 2, 4, 6, 8, 12, 14, 10, 7, 6, 8, 12, 15, 14, 9, 5, 2, 0] as const
/** Monday to Sunday. */
const weekdayWeights = [0.9, 0.85, 0.95, 1, 1.2, 1.25, 0.95] as const

/**
 * Plans the orders of a period in the local times of their stores. The same dice and length give the same orders, shifted
 * by the difference of the two starts: the time of day depends only on the start's rounded hour.
 */
export function planOrders(
  period: { startMs: number; endMs: number; perDay: number; mix: Mix },
  stores: readonly Store[],
  dice: Dice,
): PlannedOrder[] {
  const { startMs, endMs, perDay, mix } = period
  const hourStartMs = Math.round(startMs / hourMs) * hourMs
  const days = Math.ceil((endMs - startMs) / dayMs) + 1
  const orders: PlannedOrder[] = []
  for (const [index, store] of stores.entries()) {
    const firstDay = localDateOf(hourStartMs, store.timezone)
    // The first stores get more orders than the last.
    const weight = (stores.length - index * 0.6) / stores.length
    const total = stores.reduce((sum, _, place) => sum + (stores.length - place * 0.6) / stores.length, 0)
    for (let day = 0; day < days; day++) {
      const date = addDays(firstDay, day)
      const weekday = weekdayWeights[weekdayOf(date) - 1] ?? 1
      const expected = (perDay * mixRules[mix].volume * weekday * weight) / total
      const count = Math.floor(expected) + (dice.fraction() < expected % 1 ? 1 : 0)
      for (let order = 0; order < count; order++) {
        const hour = drawHour(dice)
        const clock = `${hour}:${String(dice.whole(0, 59)).padStart(2, '0')}`
        const seconds = dice.whole(0, 59)
        const atMs = localTimeToMs(date, clock, store.timezone) + seconds * 1_000 + (startMs - hourStartMs)
        if (atMs >= startMs && atMs < endMs - minuteMs) orders.push({ atMs, store })
      }
    }
  }
  orders.push(...latestOrders(orders, { startMs, endMs, perDay }, stores, dice))
  return orders.sort((one, other) => one.atMs - other.atMs)
}

/** As many orders as asked for: those of ordinary days, thinned out, or filled up at hours when nobody orders. */
export function planCount(
  { startMs, endMs, count }: { startMs: number; endMs: number; count: number },
  stores: readonly Store[],
  dice: Dice,
): PlannedOrder[] {
  const perDay = Math.ceil((count / Math.max((endMs - startMs) / dayMs, 0.01)) * 1.2) + 2
  const usual = planOrders({ startMs, endMs, perDay, mix: 'typical' }, stores, dice)
  const chosen = shuffled(usual, dice).slice(0, count)
  while (chosen.length < count) chosen.push({ atMs: dice.whole(startMs, endMs - 1), store: dice.pick(stores) })
  return chosen.sort((one, other) => one.atMs - other.atMs)
}

/** In any order, by the dice. */
export function shuffled<Item>(items: readonly Item[], dice: Dice): Item[] {
  return items
    .map((item) => ({ item, place: dice.fraction() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}

/** Orders of the last minutes, so that a history that ends at night also has active deliveries. */
function latestOrders(
  orders: readonly PlannedOrder[],
  { startMs, endMs, perDay }: { startMs: number; endMs: number; perDay: number },
  stores: readonly Store[],
  dice: Dice,
): PlannedOrder[] {
  const wanted = Math.max(2, Math.round(perDay * 0.05))
  const known = orders.filter(({ atMs }) => atMs >= endMs - latestMs).length
  return Array.from({ length: Math.max(0, wanted - known) }, () => ({
    atMs: endMs - dice.whole(minuteMs, latestMs),
    store: dice.pick(stores),
  })).filter(({ atMs }) => atMs >= startMs)
}

/** Minimum duration of a delivery. */
const latestMs = 10 * minuteMs

const weightSum = hourWeights.reduce<number>((sum, weight) => sum + weight, 0)

function drawHour(dice: Dice): number {
  let rest = dice.fraction() * weightSum
  for (const [hour, weight] of hourWeights.entries()) {
    rest -= weight
    if (rest < 0) return hour
  }
  return 12
}
