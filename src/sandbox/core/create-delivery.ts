import type { DeliveryCreate, initialStatuses } from '../../contract/index.js'
import type { DeliveryRow, Handler, World } from '../model.js'
import { replan } from './autopilot.js'
import { checkOrder } from './checks/order-checks.js'
import { DeliveryDraft, outcomeOf } from './delivery-draft.js'
import { deliveryView } from './delivery-view.js'
import { enterStatus } from './enter-status.js'
import { dropoffZip, namedInstallation } from './geo/places.js'
import { storeNoQuoteReasons, zipNoQuoteReasons } from './magic-tables.js'
import {
  dispatchReason,
  failsDispatch,
  type MagicMetadata,
  readMagicMetadata,
  refuseForced,
  scriptedOutcomeOf,
} from './order-magic.js'
import { feeOf } from './pricing.js'
import { dispatchLeadMs, earliestStartMs } from './trip-times.js'
import { resolveVerification } from './verification.js'

type InitialStatus = (typeof initialStatuses)[number]

/** Takes an order in and dispatches it, or lets it wait for its window. */
export const createDelivery: Handler<'createDelivery'> = {
  decide(world, { body: order, rawBody, force }) {
    const magic = readMagicMetadata(order.metadata)
    refuseForced(order.clientOrderReference, magic)
    checkOrder({ world, order, purpose: 'create', rawBody })
    const installation = namedInstallation(world, order.dropoff)
    const isEnforced = world.account.capabilities.requirementEnforcement
    const scriptedOutcome = scriptedOutcomeOf(order, { magic, force, installation, isEnforced })
    const draft = new DeliveryDraft(world, newRow(world, order, magic, scriptedOutcome))
    const status = initialStatus(world, order, magic, scriptedOutcome)
    enterStatus(draft, status, status === 'dispatch_failed' ? { reason: dispatchReason(scriptedOutcome) } : {})
    replan(draft)
    return { status: 201, body: deliveryView(world, draft.row, { history: false }), ...outcomeOf(draft) }
  },
}

function newRow(
  world: World,
  order: DeliveryCreate,
  magic: MagicMetadata,
  scriptedOutcome: string | undefined,
): DeliveryRow {
  const quote = order.quoteId === undefined ? undefined : world.quote(order.quoteId)
  return {
    deliveryId: world.newId('del'),
    accountId: world.account.accountId,
    livemode: world.account.livemode,
    clientOrderReference: order.clientOrderReference,
    status: 'accepted',
    history: [],
    order,
    deliveryFeeCents: feeOf(world, order, quote),
    ...(quote === undefined
      ? {}
      : { quote: { quoteId: quote.quoteId, carrierId: quote.carrierId, expiresAtMs: quote.expiresAtMs } }),
    resolvedVerification: resolveVerification(order, namedInstallation(world, order.dropoff)),
    proofs: [],
    ...(scriptedOutcome === undefined ? {} : { scriptedOutcome }),
    pace: magic.pace ?? 'manual',
    hooks: magic.hooks ?? [],
    createdAtMs: world.nowMs,
    updatedAtMs: world.nowMs,
  }
}

/** Only an order that starts now can fail for lack of drivers or by its scripted outcome; a scheduled one has time. */
function initialStatus(
  world: World,
  order: DeliveryCreate,
  magic: MagicMetadata,
  scriptedOutcome: string | undefined,
): InitialStatus {
  if (magic.create !== undefined) return magic.create
  const startMs = earliestStartMs(order)
  if (startMs !== undefined && startMs > world.nowMs + dispatchLeadMs) return 'scheduled'
  return failsDispatch(scriptedOutcome) || world.capacity === 0 || lacksCapacity(order) ? 'dispatch_failed' : 'accepted'
}

function lacksCapacity(order: DeliveryCreate): boolean {
  const reasons = [storeNoQuoteReasons[order.pickup.storeReference], zipNoQuoteReasons[dropoffZip(order.dropoff)]]
  return reasons.includes('NO_CAPACITY')
}
