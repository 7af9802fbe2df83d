import {
  type KnownDeliveryStatus,
  type KnownStatusReasonCode,
  type Milestone,
  milestoneIndex,
  milestones,
  statusReasonRules,
} from '../../contract/index.js'
import { minuteMs, secondMs } from '../../shared/durations.js'
import type { DeliveryRow, Pace, World } from '../model.js'
import type { DeliveryDraft } from './delivery-draft.js'
import { chooseDriver, hasCredential } from './driver-choice.js'
import { enterStatus } from './enter-status.js'
import { locateStop, namedInstallation } from './geo/places.js'
import { storeByReference } from './geo/stores.js'
import { hashBetween, varietyOf } from './hash.js'
import { isAccepting, isElevated } from './installations.js'
import { reasonOfScriptedOutcome } from './magic-tables.js'
import { dispatchReason, failsDispatch } from './order-magic.js'
import { dispatchLeadMs, earliestStartMs, latestEndMs, type TripTimes, tripTimes } from './trip-times.js'

/** The duration of a status at the paces that ignore the map. */
const stepMs: Readonly<Record<Exclude<Pace, 'manual' | 'real'>, number>> = {
  instant: 0,
  fast: 2 * secondMs,
  robo: 30 * secondMs,
}

/** Interval of a moving driver's location updates; `undefined` if a step is too short for them. */
export function locationIntervalMs(row: DeliveryRow, afterMs: number): number | undefined {
  if (row.pace === 'fast') return secondMs
  if (row.pace === 'robo') return 10 * secondMs
  return row.pace === 'real'
    ? Math.round(hashBetween(60, 120, varietyOf(row), afterMs - row.createdAtMs)) * secondMs
    : undefined
}

/** The duration of a delivery's status, in milliseconds, with random delays from traffic and people. */
export function stayMs(world: World, row: DeliveryRow, status: KnownDeliveryStatus): number {
  const planned = plannedStayMs(world, row, status)
  return Math.round(row.pace === 'real' ? planned * slowness(row, status) : planned)
}

/** The same, as it is planned: by the map, unless the pace is a quicker one. */
export function plannedStayMs(world: World, row: DeliveryRow, status: KnownDeliveryStatus): number {
  const { pace } = row
  return pace === 'real' || pace === 'manual' ? realStayMs(timesOf(world, row), status) : stepMs[pace]
}

function realStayMs(times: TripTimes, status: KnownDeliveryStatus): number {
  switch (status) {
    case 'accepted':
    case 'reassigning':
      return times.assignmentMs
    case 'driver_assigned':
      return 0.1 * times.approachMs
    case 'driver_enroute_to_pickup':
      return 0.9 * times.approachMs
    case 'driver_at_pickup':
      return 0.9 * times.storeDwellMs
    case 'pickup_complete':
      return 0.1 * times.storeDwellMs
    case 'driver_enroute_to_dropoff':
      return times.driveMs + times.gateMs
    case 'driver_at_dropoff':
      return times.dropoffDwellMs
    case 'return_in_progress':
      return times.driveMs
    default:
      return minuteMs
  }
}

function timesOf(world: World, row: DeliveryRow): TripTimes {
  const { dropoff, pickup } = row.order
  const store = storeByReference(pickup.storeReference)
  if (store === undefined) throw new Error(`no store ${pickup.storeReference}`)
  return tripTimes(store, locateStop(world, dropoff), namedInstallation(world, dropoff), varietyOf(row))
}

/** How much longer than planned a status lasts: the drive for every order, waiting for those of a written history too. */
function slowness(row: DeliveryRow, status: KnownDeliveryStatus): number {
  const usual = row.delayFactor ?? 1
  if (status === 'driver_enroute_to_dropoff')
    return usual * hashBetween(0.85, row.variety === undefined ? 1.35 : 1.15, varietyOf(row), 'traffic')
  if (row.variety === undefined) return 1
  if (status === 'driver_at_pickup') return usual * hashBetween(0.4, 1.7, row.variety, 'store')
  if (status === 'driver_at_dropoff') return usual * hashBetween(0.3, 1.4, row.variety, 'door')
  return status === 'driver_enroute_to_pickup' ? usual * hashBetween(0.9, 1.3, row.variety, 'approach') : 1
}

/** The next step of a delivery on autopilot, and its time. */
interface Plan {
  atMs: number
  act(draft: DeliveryDraft): void
}

/** An order without a driver expires after this time. */
const unassignedLimitMs = 60 * minuteMs

/** Interval of the search for a driver. */
const retryMs = 5 * minuteMs

/** `undefined` if nothing more happens. Depends only on the row, so that a plan never has to be stored. */
export function planOf(world: World, row: DeliveryRow): Plan | undefined {
  const sinceMs = row.history.at(-1)?.atMs ?? row.createdAtMs
  const stepAtMs = sinceMs + stayMs(world, row, row.status)
  switch (row.status) {
    case 'scheduled':
      return { atMs: Math.max(sinceMs, (earliestStartMs(row.order) ?? stepAtMs) - dispatchLeadMs), act: startDispatch }
    case 'accepted':
    case 'reassigning':
      return beforeDeadline(row, sinceMs, { atMs: stepAtMs, act: dispatch })
    case 'dispatch_failed':
      return beforeDeadline(row, sinceMs, retryPlan(row, sinceMs))
    case 'failed':
      return wantsReturn(world, row) ? { atMs: stepAtMs, act: turnBack } : undefined
    case 'return_in_progress':
      return { atMs: stepAtMs, act: (draft) => enterStatus(draft, 'returned') }
    case 'driver_at_pickup':
      return skipsPickup(row)
        ? { atMs: stepAtMs + stayMs(world, row, 'pickup_complete'), act: inferPickup }
        : { atMs: stepAtMs, act: proceed }
    default:
      return nextMilestone(row.status) === undefined ? undefined : { atMs: stepAtMs, act: proceed }
  }
}

function startDispatch(draft: DeliveryDraft): void {
  if (draft.row.scriptedOutcome === 'quote_expired') enterStatus(draft, 'expired', { reason: 'quote_expired' })
  else enterStatus(draft, 'accepted')
}

/** An order without a driver waits for an hour, and never longer than its windows are open. */
function beforeDeadline(row: DeliveryRow, sinceMs: number, plan: Plan | undefined): Plan {
  const limitMs = sinceMs + unassignedLimitMs
  const deadlineMs = Math.max(sinceMs, Math.min(limitMs, latestEndMs(row.order) ?? limitMs))
  if (plan !== undefined && plan.atMs < deadlineMs) return plan
  return { atMs: deadlineMs, act: (draft) => enterStatus(draft, 'expired', { reason: 'no_carrier_available' }) }
}

/** Finds a driver, or does not: by scriptedOutcome, for lack of drivers, or because the installation lets nobody in. */
function dispatch(draft: DeliveryDraft): void {
  const { scriptedOutcome } = draft.row
  if (scriptedOutcome === 'quote_expired') enterStatus(draft, 'expired', { reason: 'quote_expired' })
  else if (scriptedOutcome === 'cancelled_by_service' && draft.row.status === 'accepted')
    enterStatus(draft, 'cancelled', { reason: scriptedOutcome })
  else if (isDoomed(draft.row)) enterStatus(draft, 'dispatch_failed', { reason: dispatchReason(scriptedOutcome) })
  else {
    const obstacle = obstacleOf(draft)
    if (obstacle === undefined) enterStatus(draft, 'driver_assigned')
    else enterStatus(draft, 'dispatch_failed', { reason: obstacle })
  }
}

/** A failed dispatch that scriptedOutcome did not ask for is tried again until it expires. */
function retryPlan(row: DeliveryRow, sinceMs: number): Plan | undefined {
  if (isDoomed(row)) return undefined
  const lastMs = Math.max(sinceMs, row.autopilot?.retriedAtMs ?? sinceMs)
  return {
    atMs: lastMs + retryMs,
    act(draft) {
      if (obstacleOf(draft) === undefined) enterStatus(draft, 'driver_assigned')
      else draft.row.autopilot = { ...draft.row.autopilot, retriedAtMs: lastMs + retryMs }
    },
  }
}

function isDoomed(row: DeliveryRow): boolean {
  const hasRecovered = row.scriptedOutcome === 'dispatch_recovers' && row.autopilot?.isDetourDone === true
  return failsDispatch(row.scriptedOutcome) && !hasRecovered
}

function obstacleOf(draft: DeliveryDraft): KnownStatusReasonCode | undefined {
  const { world, row, capacity } = draft
  const installation = namedInstallation(world, row.order.dropoff)
  if (installation !== undefined && isElevated(installation)) return 'fpcon_elevated'
  if (installation !== undefined && !isAccepting(installation)) return 'gate_closed'
  const isFree = capacity !== 0 && chooseDriver(world, row, draft.nextMs) !== undefined
  return isFree ? undefined : 'no_carrier_available'
}

/** One milestone on, unless scriptedOutcome or the gate has it otherwise. */
function proceed(draft: DeliveryDraft): void {
  const { row } = draft
  const next = nextMilestone(row.status)
  if (next === undefined || meetsScriptedOutcome(draft) || takesDetour(draft)) return
  const turnedAway = next === 'driver_at_dropoff' ? turnedAwayReason(draft) : undefined
  if (turnedAway === undefined) enterStatus(draft, next)
  else enterStatus(draft, 'failed', { reason: turnedAway })
}

function meetsScriptedOutcome(draft: DeliveryDraft): boolean {
  const { row } = draft
  const reason = reasonOfScriptedOutcome(row.scriptedOutcome)
  if (reason === undefined) return false
  const { outcome, entry } = statusReasonRules[reason]
  if (milestoneIndex(row.status) < milestoneIndex(entry)) return false
  if (outcome === 'cancelled') enterStatus(draft, 'cancelled', { reason })
  else if (outcome !== 'failed') return false
  else if (goesToFallback(row, reason)) enterStatus(draft, 'delivered')
  else enterStatus(draft, 'failed', { reason })
  return true
}

/** A recipient who is not there does not matter if somebody else may take the delivery. */
function goesToFallback(row: DeliveryRow, reason: KnownStatusReasonCode): boolean {
  const { undeliverableAction, fallbackHandoff } = row.order.handling ?? {}
  if (undeliverableAction !== 'fallback_handoff' || fallbackHandoff === undefined) return false
  return reason.startsWith('recipient_') && row.status === 'driver_at_dropoff'
}

function takesDetour(draft: DeliveryDraft): boolean {
  const { row } = draft
  if (row.autopilot?.isDetourDone === true) return false
  const pauses = row.scriptedOutcome === 'driver_paused' || draft.world.switches.future === 'on'
  const isReassigned = row.scriptedOutcome === 'reassigning' && row.status === 'driver_enroute_to_pickup'
  const isPaused = pauses && row.status === 'driver_enroute_to_dropoff'
  if (!isReassigned && !isPaused) return false
  if (isReassigned) enterStatus(draft, 'reassigning')
  else draft.showUnknown('driver_paused')
  row.autopilot = { ...row.autopilot, isDetourDone: true }
  return true
}

/** The milestone that nobody reported comes with the next one. */
function inferPickup(draft: DeliveryDraft): void {
  enterStatus(draft, 'pickup_complete')
  enterStatus(draft, 'driver_enroute_to_dropoff')
}

function skipsPickup(row: DeliveryRow): boolean {
  return row.scriptedOutcome === 'skips_pickup_complete'
}

/** Why the driver is refused at the installation: its current policy, or the credential. */
function turnedAwayReason(draft: DeliveryDraft): KnownStatusReasonCode | undefined {
  const { world, row } = draft
  const installation = namedInstallation(world, row.order.dropoff)
  if (installation === undefined) return undefined
  if (isElevated(installation)) return 'fpcon_elevated'
  if (!installation.acceptingDeliveries) return 'denied_at_gate'
  const driver = row.driverId === undefined ? undefined : world.driver(row.driverId)
  if (driver === undefined || hasCredential(driver, installation.code, draft.nextMs)) return undefined
  const isExpired = driver.credentials.some((credential) => credential.installationCode === installation.code)
  return isExpired ? 'credential_expired' : 'credential_not_valid_for_installation'
}

function wantsReturn(world: World, row: DeliveryRow): boolean {
  const isAsked = row.order.handling?.undeliverableAction === 'return_to_pickup'
  return isAsked && world.account.capabilities.returns && row.history.some(({ status }) => status === 'pickup_complete')
}

function turnBack(draft: DeliveryDraft): void {
  enterStatus(draft, 'return_in_progress', { reason: draft.row.statusReasonCode })
}

/** The milestone after this status; `undefined` after the last and for a status that is not a milestone. */
function nextMilestone(status: KnownDeliveryStatus): Milestone | undefined {
  const index = milestoneIndex(status)
  return index < 0 ? undefined : milestones[index + 1]
}
