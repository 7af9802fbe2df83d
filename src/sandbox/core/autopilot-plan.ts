import {
  type KnownDeliveryStatus,
  type KnownStatusReasonCode,
  type Milestone,
  milestoneIndex,
  milestones,
  statusReasonRules,
} from '../../contract/index.js'
import { minuteMs } from '../../shared/durations.js'
import type { DeliveryRow, World } from '../model.js'
import { stayMs } from './autopilot-timing.js'
import type { DeliveryDraft } from './delivery-draft.js'
import { chooseDriver, hasCredential } from './driver-choice.js'
import { enterStatus } from './enter-status.js'
import { dispatchLeadMs, earliestStartMs, latestEndMs } from './eta.js'
import { namedInstallation } from './geo/places.js'
import { isAccepting, isElevated } from './installation-access.js'
import { dispatchReason, failsDispatch } from './order-magic.js'
import { reasonOfScriptedOutcome } from './outcomes.js'

/** The next step of a delivery on autopilot, and its time. */
export interface Plan {
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
  const turnedAway = next === 'driver_at_dropoff' ? gateProblem(draft) : undefined
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
function gateProblem(draft: DeliveryDraft): KnownStatusReasonCode | undefined {
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
