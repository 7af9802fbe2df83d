import type { Delivery, DeliveryUpdate, SimulateRequest, SimulateResponse } from '../contract/index.js'
import { isRecord } from '../shared/json.js'

/** What a look at the delivery says of a write whose answer was lost. */
export type WriteCheck = 'applied' | 'not-applied' | 'undecidable'

/**
 * Whether a delivery shows what an update asked for. Only what the service gives back can be compared: contact,
 * address, instructions and tip, but not the package or the time windows.
 */
export function compareUpdate(update: DeliveryUpdate, delivery: Delivery): WriteCheck {
  const { tipAmountCents, pickup, dropoff } = update
  const verdicts = [
    ...(tipAmountCents === undefined ? [] : [compareLeaf(tipAmountCents, delivery.pricing?.tipAmountCents)]),
    ...compareMembers(pickup, delivery.pickup),
    ...compareMembers(dropoff, delivery.dropoff),
  ]
  if (verdicts.includes('not-applied')) return 'not-applied'
  return verdicts.includes('applied') ? 'applied' : 'undecidable'
}

function compareMembers(asked: unknown, shown: unknown): WriteCheck[] {
  if (!isRecord(asked)) return asked === undefined ? [] : [compareLeaf(asked, shown)]
  if (!isRecord(shown)) return ['undecidable']
  return Object.entries(asked).flatMap(([name, member]) =>
    member === undefined ? [] : compareMembers(member, Object.hasOwn(shown, name) ? shown[name] : undefined),
  )
}

/** What is not shown may be applied all the same: absence decides nothing. */
function compareLeaf(asked: unknown, shown: unknown): WriteCheck {
  if (shown === undefined) return 'undecidable'
  return JSON.stringify(asked) === JSON.stringify(shown) ? 'applied' : 'not-applied'
}

/** Whether a delivery has reached the status that a simulation asked for, now or on its way. */
export function compareSimulation(request: SimulateRequest, delivery: Delivery): WriteCheck {
  if (delivery.status === request.advanceTo) return 'applied'
  const hasPassed = delivery.statusHistory?.some((entry) => entry.status === request.advanceTo) ?? false
  return hasPassed ? 'applied' : 'not-applied'
}

/** What the lost answer to a simulation must have said: the target's event is emitted in any case. */
export function simulationSeen(request: SimulateRequest, delivery: Delivery): SimulateResponse {
  return {
    deliveryId: delivery.deliveryId,
    livemode: false,
    status: delivery.status,
    emittedEvents: [`delivery.${request.advanceTo}`],
  }
}
