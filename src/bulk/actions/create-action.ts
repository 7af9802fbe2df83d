import type { CallOptions, Client } from '../../client/index.js'
import { bodyHashOf, newIdempotencyKey } from '../../client/index.js'
import { keyOfHash } from '../../client/internal.js'
import { ApiError, codePointLength, type Delivery, type InputOf, limits, UsageError } from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import { isInFlight, isRowFailure, isWorthSettling } from '../stop-reason.js'
import { isSameOrder } from './order-match.js'
import { failedWith, type RowAction, type RowOutcome } from './row-action.js'

type Order = InputOf<'createDelivery'>['body']

export interface CreateOptions {
  /** Part of each key: the same order under another profile is another delivery. */
  profile: string
  /** Gives each row a key that nothing else has, instead of one from the order. */
  newKeys?: boolean | undefined
}

/** Creates a delivery from each row. */
export function createAction(client: Client, options: CreateOptions): RowAction<Order> {
  return {
    operation: 'createDelivery',
    prepare(value) {
      const reference = referenceOf(value)
      const order = value as Order
      const bodyHash = bodyHashOf(order)
      return {
        clientOrderReference: reference,
        idempotencyKey: options.newKeys ? newIdempotencyKey() : keyOfHash(options.profile, order, bodyHash),
        bodyHash,
        input: order,
      }
    },
    async execute({ input, idempotencyKey }, history, callOptions) {
      if (history.isKeyForgotten) {
        const end = await existingOrConflict(client, input, callOptions)
        if (end !== undefined) return end
      }
      return create(client, input, idempotencyKey ?? '', callOptions)
    },
  }
}

async function create(client: Client, order: Order, key: string, options: CallOptions): Promise<RowOutcome> {
  try {
    const { value, replayed } = await client.call('createDelivery', { body: order, idempotencyKey: key }, options)
    return { outcome: replayed ? 'replayed' : 'created', deliveryId: value.deliveryId, status: value.status }
  } catch (failure) {
    if (failure instanceof ApiError && failure.code === 'DUPLICATE_ORDER')
      return (await existingOrConflict(client, order, options, failure)) ?? failedWith(failure, 'conflict')
    if (failure instanceof ApiError && failure.code === 'IDEMPOTENCY_KEY_REUSED') return failedWith(failure, 'conflict')
    if (isRowFailure(failure)) return failedWith(failure)
    if (!isWorthSettling(failure, options)) throw failure
    if (isInFlight(failure)) return failedWith(failure, 'unknown')
    const end = await existingOrConflict(client, order, options).catch((error: unknown) => {
      if (isRowFailure(error)) return undefined
      throw failure
    })
    if (end !== undefined) return end
    // Answered for good, and nothing is there; without an answer it may still come into being.
    return failedWith(failure, failure instanceof ApiError ? 'failed' : 'unknown')
  }
}

/** Looks the reference up and compares; `undefined` where no delivery has it. */
async function existingOrConflict(
  client: Client,
  order: Order,
  options: CallOptions,
  refusal?: unknown,
): Promise<RowOutcome | undefined> {
  const query = { clientOrderReference: order.clientOrderReference }
  const { deliveries } = await client.listDeliveries({ query }, options)
  const [found] = deliveries
  if (found === undefined) return undefined
  const delivery: Delivery = await client.getDelivery({ deliveryId: found.deliveryId }, options)
  const known = { deliveryId: delivery.deliveryId, status: delivery.status }
  if (isSameOrder(order, delivery)) return { outcome: 'existing', ...known }
  const error = refusal === undefined ? otherOrder(order.clientOrderReference) : refusal
  return { ...failedWith(error, 'conflict'), ...known }
}

function otherOrder(reference: string): UsageError {
  return new UsageError(`Another order has been delivered under the reference ${reference}`, {
    hint: 'Compare the two; if this is a new order, give it a reference of its own.',
  })
}

function referenceOf(value: unknown): string {
  if (!isRecord(value)) throw new UsageError('The row is no JSON object')
  const { clientOrderReference } = value
  if (typeof clientOrderReference !== 'string' || clientOrderReference === '')
    throw new UsageError('clientOrderReference is missing', { hint: 'A bulk run needs it to tell orders apart.' })
  if (codePointLength(clientOrderReference) > limits.clientOrderReferenceMaxLength)
    throw new UsageError(`clientOrderReference has more than ${limits.clientOrderReferenceMaxLength} characters`)
  return clientOrderReference
}
