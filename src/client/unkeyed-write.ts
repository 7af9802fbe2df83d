import {
  ConnectionError,
  type Delivery,
  type DeliveryUpdate,
  type EventRecord,
  informationalEventTypes,
  type OperationName,
  operationDescriptors,
  type SimulateRequest,
  type SimulateResponse,
  withHint,
} from '../contract/index.js'
import { isRecord } from '../shared/json.js'
import type { CallResult } from './options.js'
import { isOutcomeUnknown } from './retry/retry.js'

/** The input of a write for which the contract has no idempotency key: its effect is checked by reading the delivery. */
export interface ComparableInput {
  deliveryId: string
  body: unknown
}

/** The part of the delivery that shows the effect of a write. */
type Compared = 'fields-compared' | 'status-compared'

/** How the effect of an operation is checked; `undefined` if it is not. */
export function comparisonOf(name: OperationName): Compared | undefined {
  const { repeat } = operationDescriptors[name]
  return repeat === 'safe' ? undefined : repeat
}

/**
 * Sends a write once. If its answer is lost, the delivery is read and compared; only if it shows that nothing
 * happened is the write sent again, once.
 *
 * @throws the failure, with a hint, if reading does not tell
 */
export async function sendThenVerify(
  compared: Compared,
  input: ComparableInput,
  way: {
    send(): Promise<CallResult<unknown>>
    fetchCurrent(deliveryId: string): Promise<CallResult<unknown>>
    /** The events of the delivery since the first `send`. */
    eventsSince(deliveryId: string): Promise<EventRecord[]>
  },
): Promise<CallResult<unknown>> {
  let failure: unknown
  for (const isRepeat of [false, true]) {
    try {
      return await way.send()
    } catch (error) {
      // Whatever becomes of the second, the first may have taken effect meanwhile.
      if (!isRepeat && !isWorthALook(error)) throw error
      failure = error
    }
    const seen = await way.fetchCurrent(input.deliveryId).catch((error: unknown) => {
      throw unresolved(failure, error)
    })
    const told =
      compared === 'status-compared' ? await way.eventsSince(input.deliveryId).catch(() => undefined) : undefined
    const delivery = seen.value as Delivery
    const verdict = compare(compared, input.body, delivery, told)
    if (verdict === 'applied') return { ...seen, value: answerSeen(compared, input.body, delivery, told) }
    if (verdict === 'undecidable') throw unresolved(failure)
  }
  throw failure
}

function isWorthALook(failure: unknown): boolean {
  return isOutcomeUnknown(failure) && !(failure instanceof ConnectionError && failure.reason === 'aborted')
}

function compare(compared: Compared, body: unknown, delivery: Delivery, told: EventRecord[] | undefined): WriteCheck {
  return compared === 'fields-compared'
    ? compareUpdate(body as DeliveryUpdate, delivery)
    : compareSimulation(body as SimulateRequest, delivery, told)
}

function answerSeen(compared: Compared, body: unknown, delivery: Delivery, told: EventRecord[] | undefined): unknown {
  return compared === 'fields-compared' ? delivery : simulationSeen(body as SimulateRequest, delivery, told)
}

function unresolved(failure: unknown, cause?: unknown): unknown {
  return cause instanceof Error ? withHint(failure, `Reading the delivery failed too: ${cause.message}.`) : failure
}

const informational: ReadonlySet<string> = new Set(informationalEventTypes)

/** Whether a write whose response was lost took effect, according to the delivery. */
type WriteCheck = 'applied' | 'not-applied' | 'undecidable'

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

/** A missing value proves nothing: the service may have applied it without returning it. */
function compareLeaf(asked: unknown, shown: unknown): WriteCheck {
  if (shown === undefined) return 'undecidable'
  return JSON.stringify(asked) === JSON.stringify(shown) ? 'applied' : 'not-applied'
}

/** Whether a delivery has reached the status that a simulation asked for: it is there, or an event since it was sent says so. */
function compareSimulation(
  request: SimulateRequest,
  delivery: Delivery,
  told: readonly EventRecord[] | undefined,
): WriteCheck {
  if (delivery.status === request.advanceTo) return 'applied'
  if (told === undefined) return 'undecidable'
  const target = `delivery.${request.advanceTo}`
  return told.some(({ eventType }) => eventType === target) ? 'applied' : 'not-applied'
}

/**
 * The response to a simulation, reconstructed after it was lost; `told` are the delivery's events since the request was
 * sent.
 */
function simulationSeen(
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
