import type { Delivery } from '../contract/index.js'
import { dayMs, minuteMs, problemSpan } from '../shared/durations.js'
import { lateByMs, type PromisedTime, type PromiseRules, promiseOf, timeMsOf } from './promise.js'
import { endedBadly, isExpected, isProblemStatus, stageOf } from './statuses.js'

/** After how long an order counts as stuck, in milliseconds. */
export interface StuckLimits {
  /** Without a driver: accepted, dispatch_failed or reassigning. */
  driver: number
  /** A driver waits at the store. */
  store: number
  /** A driver waits at the door. */
  door: number
  /** A driver is on the way, and no new position has come. */
  position: number
}

export const stuckLimits: Readonly<StuckLimits> = {
  driver: 15 * minuteMs,
  store: 20 * minuteMs,
  door: 15 * minuteMs,
  position: 10 * minuteMs,
}

const { driver, store, door, position } = stuckLimits

/** Being stuck in one sentence without its end, for help and pages. */
export const stuckMeans = `Stuck means longer than ${driver / minuteMs} minutes without a driver, ${store / minuteMs} minutes at the store, ${door / minuteMs} minutes at the door, ${position / minuteMs} minutes on the way without a position`

/** A delivery that failed or expired stays on boards this long; then it is history. */
export const endedProblemMs = dayMs

/** The known facts of a delivery that is judged; absent ones are not known. Times are milliseconds since the epoch. */
export interface Standing {
  status: string
  /** When it got its status. */
  sinceMs?: number | undefined
  statusReasonCode?: string | null | undefined
  promise?: PromisedTime | undefined
  /** The time of the driver's last position. */
  positionMs?: number | undefined
}

/** The standing of a whole delivery. Without a promise, the first ETA of its events stands in, if it is given. */
export function standingOf(delivery: Delivery, promises?: PromiseRules, firstEtaMs?: number): Standing {
  const { status, statusReasonCode, statusHistory, driver, createdAt, updatedAt } = delivery
  const reference = delivery.clientOrderReference ?? undefined
  return {
    status,
    statusReasonCode,
    sinceMs: timeMsOf(statusHistory?.findLast((entry) => entry.status === status)?.occurredAt ?? updatedAt),
    positionMs: timeMsOf(driver?.location?.updatedAt),
    promise: promiseOf({ reference, acceptedMs: timeMsOf(createdAt), firstEtaMs }, promises),
  }
}

/** A problem of a delivery. */
export interface Problem {
  /** In words, such as `no driver for 97 min` or `failed: gate_closed`. */
  text: string
  /** The delay in milliseconds; 0 if it is not late, or if that is unknown. */
  lateMs: number
  /** The promise that it missed; absent if it is not late. */
  missed?: PromisedTime | undefined
}

/** The delay of an active delivery, in milliseconds; 0 if it is not late, or has no promise and no ETA. */
export function lateMsOf({ status, promise }: Standing, nowMs: number): number {
  // A package that goes back to the store is no longer expected at the door.
  if (promise === undefined || !isExpected(status)) return 0
  return lateByMs(promise.promisedByMs, nowMs)
}

/** The problem of a delivery: a bad status, stuck or late; `undefined` if none is known. */
export function problemOf(
  standing: Standing,
  nowMs: number,
  limits: Readonly<StuckLimits> = stuckLimits,
): Problem | undefined {
  const lateMs = lateMsOf(standing, nowMs)
  const texts = [
    statusText(standing, nowMs, limits),
    standing.promise?.source === 'window' ? windowText(lateMs) : lateMs === 0 ? '' : `${problemSpan(lateMs)} late`,
    positionText(standing, nowMs, limits),
  ].filter((text) => text !== '')
  if (texts.length === 0) return undefined
  return { text: texts.join(', '), lateMs, ...(lateMs > 0 && { missed: standing.promise }) }
}

/** The columns of a board, from left to right. A problem is in the first one, whatever its stage. */
export const boardColumns = ['problems', 'dispatch', 'pickup', 'dropoff', 'other', 'done'] as const
export type BoardColumn = (typeof boardColumns)[number]

/** The column of a delivery on a board. A failure is a problem for a day, and then done. */
export function columnOf(standing: Standing, problem: Problem | undefined, nowMs: number): BoardColumn {
  const { status, statusReasonCode, sinceMs } = standing
  if (endedBadly(status, statusReasonCode)) return nowMs - (sinceMs ?? nowMs) > endedProblemMs ? 'done' : 'problems'
  const stage = stageOf(status)
  return problem !== undefined || stage === 'returning' ? 'problems' : stage
}

/** Words for a status that is a problem in itself. */
export const statusWords: Readonly<Record<string, string>> = {
  failed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
  return_in_progress: 'returning to the store',
}

/** Statuses of an order that waits for something, what it waits for, and the words for it. */
export const waits: Readonly<Record<string, readonly [limit: keyof StuckLimits, words: string]>> = {
  accepted: ['driver', 'no driver'],
  dispatch_failed: ['driver', 'no driver'],
  reassigning: ['driver', 'no driver'],
  driver_at_pickup: ['store', 'at the store'],
  driver_at_dropoff: ['door', 'at the door'],
}

function statusText({ status, sinceMs, statusReasonCode }: Standing, nowMs: number, limits: StuckLimits): string {
  const isProblem = isProblemStatus(status, statusReasonCode)
  const because = statusReasonCode == null || !isProblem ? '' : `: ${statusReasonCode}`
  const wait = Object.hasOwn(waits, status) ? waits[status] : undefined
  if (wait === undefined) return isProblem ? `${statusWords[status] ?? status}${because}` : ''
  const [limit, words] = wait
  const waitedMs = sinceMs === undefined ? undefined : nowMs - sinceMs
  const isStuck = waitedMs !== undefined && waitedMs > limits[limit]
  if (!isProblem && !isStuck) return ''
  return `${words}${waitedMs === undefined || waitedMs < minuteMs ? '' : ` for ${problemSpan(waitedMs)}`}${because}`
}

function windowText(lateMs: number): string {
  return lateMs === 0 ? '' : `window ended ${problemSpan(lateMs)} ago`
}

/** Statuses in which a driver is on the move. */
export const onTheWay: ReadonlySet<string> = new Set(['driver_enroute_to_pickup', 'driver_enroute_to_dropoff'])

function positionText({ status, sinceMs, positionMs }: Standing, nowMs: number, limits: StuckLimits): string {
  if (positionMs === undefined || !onTheWay.has(status)) return ''
  // A position from before the driver set out says nothing about this way.
  const silentMs = nowMs - Math.max(positionMs, sinceMs ?? positionMs)
  return silentMs > limits.position ? `no position for ${problemSpan(silentMs)}` : ''
}
