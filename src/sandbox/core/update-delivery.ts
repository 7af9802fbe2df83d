import { type DeliveryCreate, terminalStatuses } from '../../contract/index.js'
import type { DeliveryRow, Handler, InstallationRow } from '../model.js'
import { replan } from './autopilot.js'
import { checkChangedFields, isWithin } from './checks/order-checks.js'
import { refuseUnknownMechanism } from './checks/requirements.js'
import { DeliveryDraft, findDelivery, outcomeOf } from './delivery-draft.js'
import { deliveryView } from './delivery-view.js'
import { enterStatus } from './enter-status.js'
import { namedInstallation } from './geo/places.js'
import { readMagicMetadata, scriptedOutcomeOf } from './order-magic.js'
import { priceOf, quotedCarrier } from './pricing.js'
import { Refusal, refusalOf } from './refusal.js'
import { targetsOf } from './simulate-delivery.js'
import { changedPaths, checkLowering, checkStage, mergedOrder } from './update-rules.js'
import { resolveVerification } from './verification.js'

/** The fields that a price depends on. */
const pricedFields = [
  'pickup',
  'dropoff.address',
  'dropoff.installation',
  'package.weightGrams',
  'package.contains',
  'verification',
  'timeWindows',
]

/** The fields that choose the outcome of a delivery. */
const fatefulFields = [
  'dropoff.contactPhone',
  'dropoff.installation',
  'metadata.sandbox_outcome',
  'verification',
  'package.contains',
]

/** Merges the update in, all of it or nothing; a delivery whose dispatch failed is dispatched again. */
export const updateDelivery: Handler<'updateDelivery'> = {
  admit(world, { deliveryId }) {
    findDelivery(world, deliveryId)
  },
  decide(world, { deliveryId, body: patch, rawBody, force }) {
    const row = findDelivery(world, deliveryId)
    checkStage(row, patch)
    const order = mergedOrder(row.order, patch)
    const changed = changedPaths(patch)
    const magic = readMagicMetadata(order.metadata)
    const touches = (fields: readonly string[]) => changed.some((path) => fields.some((field) => isWithin(path, field)))
    if (magic.error !== undefined && touches(['metadata.sandbox_outcome'])) throw refusalOf(magic.error)
    refuseUnknownMechanism(rawBody)
    checkChangedFields({ world, order, purpose: 'update' }, changed)
    const installation = namedInstallation(world, order.dropoff)
    checkLowering(patch, order, installation)

    const draft = new DeliveryDraft(world, row)
    rewrite(draft, order, installation, touches(pricedFields))
    if (touches(['metadata'])) {
      draft.row.pace = magic.pace ?? draft.row.pace
      draft.row.hooks = magic.hooks ?? draft.row.hooks
    }
    if (touches(fatefulFields) || force?.kind === 'outcome') {
      const isEnforced = world.account.capabilities.requirementEnforcement
      setScriptedOutcome(draft.row, scriptedOutcomeOf(order, { magic, force, installation, isEnforced }))
    }
    if (row.status === 'dispatch_failed') redispatch(draft)
    replan(draft)
    return { status: 200, body: deliveryView(world, draft.row, { history: false }), ...outcomeOf(draft) }
  },
}

function rewrite(
  draft: DeliveryDraft,
  order: DeliveryCreate,
  installation: InstallationRow | undefined,
  isPricedAnew: boolean,
): void {
  const { world, row } = draft
  row.order = order
  row.resolvedVerification = resolveVerification(order, installation)
  // Priced as of its creation, so that the price moves by what was changed and by nothing else.
  if (isPricedAnew) row.deliveryFeeCents = priceOf(world, order, quotedCarrier(world, row.quote), row.createdAtMs)
  row.updatedAtMs = Math.max(row.updatedAtMs, world.nowMs)
}

function setScriptedOutcome(row: DeliveryRow, scriptedOutcome: string | undefined): void {
  if (scriptedOutcome === row.scriptedOutcome) return
  delete row.scriptedOutcome
  if (scriptedOutcome !== undefined) row.scriptedOutcome = scriptedOutcome
}

/** The detour of a failed dispatch ends with the first update. */
function redispatch(draft: DeliveryDraft): void {
  if (draft.row.scriptedOutcome === 'dispatch_recovers')
    draft.row.autopilot = { ...draft.row.autopilot, isDetourDone: true }
  enterStatus(draft, 'reassigning')
}

/** Cancels in the merchant's name, whatever reason is recorded. */
export const cancelDelivery: Handler<'cancelDelivery'> = {
  admit(world, { deliveryId }) {
    findDelivery(world, deliveryId)
  },
  decide(world, { deliveryId, body }) {
    const draft = new DeliveryDraft(world, findDelivery(world, deliveryId))
    const { status } = draft.row
    if (terminalStatuses.has(status))
      throw new Refusal('INVALID_STATE_TRANSITION', `A delivery that is ${status} cannot be cancelled.`, {
        details: { from: status, to: 'cancelled', allowed: targetsOf(world, draft.row) },
      })
    const { reason, reasonNotes } = body ?? {}
    draft.row.cancellation = {
      ...(reason === undefined ? {} : { reason }),
      ...(reasonNotes === undefined ? {} : { reasonNotes }),
    }
    enterStatus(draft, 'cancelled', { reason: 'cancelled_by_merchant' })
    replan(draft)
    return { status: 200, body: deliveryView(world, draft.row, { history: false }), ...outcomeOf(draft) }
  },
}
