import {
  type Delivery,
  type DeliveryUpdate,
  type EventRecord,
  informationalEventTypes,
  type SimulateRequest,
  type SimulateResponse,
} from '../contract/index.js'
import { isRecord } from '../shared/json.js'

const informational: ReadonlySet<string> = new Set(informationalEventTypes)

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

/** Whether a delivery has reached the status that a simulation asked for: it is there, or an event since it was sent says so. */
export function compareSimulation(
  request: SimulateRequest,
  delivery: Delivery,
  told: readonly EventRecord[] | undefined,
): WriteCheck {
  if (delivery.status === request.advanceTo) return 'applied'
  if (told === undefined) return 'undecidable'
  const target = `delivery.${request.advanceTo}`
  return told.some(({ eventType }) => eventType === target) ? 'applied' : 'not-applied'
}

/** What the lost answer to a simulation must have said; `told` are the events of the delivery since it was sent. */
export function simulationSeen(
  request: SimulateRequest,
  delivery: Delivery,
  told: readonly EventRecord[] | undefined = [],
): SimulateResponse {
  const createdMs = Date.parse(delivery.createdAt ?? '')
  const types = told.flatMap(({ eventType, occurredAt }) =>
    informational.has(eventType) || Date.parse(occurredAt) <= createdMs ? [] : [eventType],
  )
  const target = `delivery.${request.advanceTo}`
  const end = types.lastIndexOf(target)
  // The target's event is emitted in any case, even if it is not listed yet.
  const emittedEvents = end < 0 || request.emitIntermediateEvents === false ? [target] : types.slice(0, end + 1)
  return { deliveryId: delivery.deliveryId, livemode: false, status: delivery.status, emittedEvents }
}
