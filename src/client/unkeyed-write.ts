import {
  ConnectionError,
  type Delivery,
  type DeliveryUpdate,
  type EventRecord,
  type OperationName,
  operationDescriptors,
  type SimulateRequest,
} from '../contract/index.js'
import type { CallResult } from './call.js'
import { withHint } from './retry/give-up.js'
import { isOutcomeUnknown } from './retry/retry.js'
import { compareSimulation, compareUpdate, simulationSeen, type WriteCheck } from './unknown-outcome.js'

/** Writes for which the contract has no idempotency key: their effect is checked by reading the delivery. */
type ComparableName = 'updateDelivery' | 'simulateDelivery'
export interface ComparableInput {
  deliveryId: string
  body: unknown
}

export function isComparable(name: OperationName): name is ComparableName {
  return operationDescriptors[name].repeat === 'compared'
}

/** Looks made before a write is sent a second time: the first may still be on its way. */
const looks = 2

/**
 * Sends a write once. If its answer is lost, the delivery is read and compared; only if it shows that nothing
 * happened is the write sent again, once.
 *
 * @throws the failure, with a hint, if reading does not tell
 */
export async function sendThenVerify(
  name: ComparableName,
  input: ComparableInput,
  way: {
    send(): Promise<CallResult<unknown>>
    fetchCurrent(deliveryId: string): Promise<CallResult<unknown>>
    /** The events of the delivery since the first `send`. */
    eventsSince(deliveryId: string): Promise<EventRecord[]>
  },
): Promise<CallResult<unknown>> {
  let failure: unknown
  for (let round = 0; round < looks; round++) {
    try {
      return await way.send()
    } catch (error) {
      if (!isWorthALook(error) && round === 0) throw error
      failure = error
    }
    const seen = await way.fetchCurrent(input.deliveryId).catch((error: unknown) => {
      throw unresolved(failure, error)
    })
    const told =
      name === 'simulateDelivery' ? await way.eventsSince(input.deliveryId).catch(() => undefined) : undefined
    const delivery = seen.value as Delivery
    const verdict = compare(name, input.body, delivery, told)
    if (verdict === 'applied') return { ...seen, value: answerSeen(name, input.body, delivery, told) }
    if (verdict === 'undecidable') throw unresolved(failure)
  }
  throw failure
}

function isWorthALook(failure: unknown): boolean {
  return isOutcomeUnknown(failure) && !(failure instanceof ConnectionError && failure.reason === 'aborted')
}

function compare(name: ComparableName, body: unknown, delivery: Delivery, told: EventRecord[] | undefined): WriteCheck {
  return name === 'updateDelivery'
    ? compareUpdate(body as DeliveryUpdate, delivery)
    : compareSimulation(body as SimulateRequest, delivery, told)
}

function answerSeen(name: ComparableName, body: unknown, delivery: Delivery, told: EventRecord[] | undefined): unknown {
  return name === 'updateDelivery' ? delivery : simulationSeen(body as SimulateRequest, delivery, told)
}

function unresolved(failure: unknown, cause?: unknown): unknown {
  return cause instanceof Error ? withHint(failure, `Reading the delivery failed too: ${cause.message}.`) : failure
}
