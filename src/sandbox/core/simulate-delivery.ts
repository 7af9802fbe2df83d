import {
  type KnownDeliveryStatus,
  type KnownStatusReasonCode,
  type RouteConditions,
  reachableStatuses,
  reasonCodesFor,
  routeBetween,
  type SimulateRequest,
  type SimulateResponse,
  statusesWithReason,
  statusReasonRules,
} from '../../contract/index.js'
import type { DeliveryRow, Handler, World } from '../model.js'
import { replan } from './autopilot.js'
import { DeliveryDraft, findDelivery, outcomeOf } from './delivery-draft.js'
import { enterStatus } from './enter-status.js'
import { statusEventType } from './events.js'
import { namedInstallation } from './geo/places.js'
import { withFuture } from './hash.js'
import { reasonOfScriptedOutcome } from './magic-tables.js'
import { Refusal } from './refusal.js'
import { impossibleChecks } from './verification.js'

type Status = KnownDeliveryStatus

/** Advances a delivery along the legal way to a status, with the event of every step or only of the last. */
export const simulateDelivery: Handler<'simulateDelivery'> = {
  admit(world, { deliveryId }) {
    if (world.account.livemode) throw new Refusal('SANDBOX_ONLY', 'Deliveries of a live key cannot be simulated.')
    findDelivery(world, deliveryId)
  },
  decide(world, { deliveryId, body }) {
    const row = findDelivery(world, deliveryId)
    const reason = reasonFor(world, row, body)
    const route = legalRoute(world, row, body.advanceTo, reason)
    const emitted = body.emitIntermediateEvents === false ? route.slice(-1) : route
    const draft = new DeliveryDraft(world, row)
    travel(draft, route, { reason, isDirect: body.emitIntermediateEvents === false })
    replan(draft)
    const answer: SimulateResponse = {
      deliveryId,
      livemode: false,
      status: draft.row.status,
      emittedEvents: emitted.map(statusEventType),
    }
    return { status: 200, body: withFuture(world, 'event', answer), ...outcomeOf(draft) }
  },
}

function travel(
  draft: DeliveryDraft,
  route: readonly Status[],
  { reason, isDirect }: { reason: KnownStatusReasonCode | undefined; isDirect: boolean },
): void {
  const previousStatus = draft.row.status
  const target = route.at(-1)
  for (const status of route) {
    const isOnTheWay = status !== target
    // A return has a reason of its own, even if it is only passed through.
    const own = isOnTheWay && status === 'return_in_progress' ? defaultReason(draft.world, draft.row, status) : reason
    if (!isDirect) enterStatus(draft, status, { reason: own })
    else if (isOnTheWay) enterStatus(draft, status, { reason: own, isSilent: true })
    else enterStatus(draft, status, { reason: own, previousStatus, isAlone: true })
  }
}

function legalRoute(world: World, row: DeliveryRow, to: Status, reason: KnownStatusReasonCode | undefined): Status[] {
  const conditions = { ...conditionsOf(world, row), ...(reason === undefined ? {} : { reason }) }
  const route = routeBetween(row.status, to, conditions)
  const isRefused = to === 'delivered' && isUndeliverable(world, row)
  if (route !== undefined && !isRefused) return route
  const message = isRefused
    ? 'A required check is prohibited at the destination, so that the delivery cannot be completed.'
    : `Cannot go from ${row.status} to ${to}.`
  throw new Refusal(world.switches.simulateIllegalCode, message, {
    status: 422,
    details: { from: row.status, to, allowed: targetsOf(world, row) },
  })
}

/** The reason asked for, if the status takes one, or what is usual for it. */
function reasonFor(world: World, row: DeliveryRow, body: SimulateRequest): KnownStatusReasonCode | undefined {
  const { advanceTo, statusReasonCode } = body
  if (!statusesWithReason.has(advanceTo)) return undefined
  if (statusReasonCode === undefined) return defaultReason(world, row, advanceTo)
  const fits = statusReasonRules[statusReasonCode].fits.includes(advanceTo)
  if (fits || world.switches.simulateReasons === 'lenient') return statusReasonCode
  const message = `does not go with ${advanceTo}`
  throw new Refusal('VALIDATION_ERROR', `The reason ${statusReasonCode} ${message}.`, {
    status: 422,
    fieldErrors: [{ field: 'statusReasonCode', code: 'INVALID_VALUE', message }],
    details: { allowed: reasonCodesFor(advanceTo) },
  })
}

function defaultReason(world: World, row: DeliveryRow, status: Status): KnownStatusReasonCode {
  const scriptedOutcome = reasonOfScriptedOutcome(row.scriptedOutcome)
  const fitting =
    scriptedOutcome !== undefined && statusReasonRules[scriptedOutcome].fits.includes(status)
      ? scriptedOutcome
      : undefined
  if (status === 'failed') return fitting ?? 'recipient_unavailable'
  if (status === 'return_in_progress') return row.statusReasonCode ?? fitting ?? 'recipient_unavailable'
  if (status === 'cancelled') return fitting ?? 'cancelled_by_service'
  if (status === 'expired') return isQuoteLapsed(world, row) ? 'quote_expired' : 'no_carrier_available'
  return fitting ?? 'no_carrier_available'
}

function isQuoteLapsed(world: World, row: DeliveryRow): boolean {
  return row.quote !== undefined && row.quote.expiresAtMs <= world.nowMs
}

/** Every status that this delivery can still reach. */
export function targetsOf(world: World, row: DeliveryRow): KnownDeliveryStatus[] {
  const targets = reachableStatuses(row.status, conditionsOf(world, row))
  return targets.filter((status) => status !== 'delivered' || !isUndeliverable(world, row))
}

function conditionsOf(world: World, row: DeliveryRow): Omit<RouteConditions, 'reason'> {
  return {
    returns: world.account.capabilities.returns,
    pickedUp: row.history.some((entry) => entry.status === 'pickup_complete'),
  }
}

/** Whether a required check is prohibited at the destination, with nothing to take its place. */
function isUndeliverable(world: World, row: DeliveryRow): boolean {
  if (!world.account.capabilities.requirementEnforcement) return false
  return impossibleChecks(row.order, namedInstallation(world, row.order.dropoff)).length > 0
}
