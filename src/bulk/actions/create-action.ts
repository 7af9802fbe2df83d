import {
  type CallOptions,
  type Client,
  type CreatedOnce,
  cheapestQuote,
  createOnce,
  type IdentifiedOrder,
  idempotencyKeyOf,
  newIdempotencyKey,
  OrderConflictError,
  type OrderLedger,
  orderDifferences,
  type QuoteChoice,
} from '../../client/index.js'
import { findExisting, hashOf } from '../../client/internal.js'
import {
  ApiError,
  canonicalJson,
  codePointLength,
  type FieldError,
  type InputOf,
  limits,
  type Quote,
  UsageError,
} from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import { isInFlight, isRowFailure, isWorthSettling } from '../stop-reason.js'
import { failedWith, type RowAction, type RowOutcome } from './row-action.js'

type Order = InputOf<'createDelivery'>['body']

/** What holds for all orders of a run. */
export interface CreateOptions {
  /** Part of each key: the same order under another profile is another delivery. */
  profile: string
  /** Gives each row a key that nothing else has, instead of one from the order. */
  newKeys?: boolean | undefined
  /** Orders by the cheapest quote, which is taken just before the row is sent; a row without one fails. */
  cheapest?: QuoteChoice | undefined
  /** Called with the quote that an order is created with. */
  onQuote?: ((quote: Quote, order: Order) => void) | undefined
}

/** Creates a delivery from each row. */
export function createAction(client: Client, { profile, newKeys, cheapest, onQuote }: CreateOptions): RowAction<Order> {
  return {
    operation: 'createDelivery',
    serviceNowMs: () => client.serviceNowMs(),
    prepare(value) {
      const reference = referenceOf(value)
      const order = value as Order
      const canonical = canonicalJson(order)
      const bodyHash = hashOf(canonical)
      return {
        clientOrderReference: reference,
        idempotencyKey: newKeys ? newIdempotencyKey() : idempotencyKeyOf({ profile, order, bodyHash }),
        bodyHash,
        input: order,
        canonical,
      }
    },
    async execute({ input, idempotencyKey, bodyHash, canonical }, history, callOptions) {
      const order = { order: input, idempotencyKey: idempotencyKey ?? '', bodyHash, canonical }
      const ledger: OrderLedger = {
        recall: () => history,
        differences(_, delivery) {
          const differences = orderDifferences(input, delivery)
          return differences.length > 0 ? differences : clashWith(history.clashingRow())
        },
      }
      try {
        if (cheapest === undefined) return outcomeOf(await createOnce(client, order, ledger, callOptions))
        const quote = await cheapestQuote(client, input, cheapest, callOptions)
        onQuote?.(quote, input)
        const { quoteId } = quote
        // Another quote makes another body: what may have been sent is looked up before the key is used again.
        const unsure = { ...ledger, recall: () => ({ wasSent: history.wasSent }) }
        const quoted = { ...order, order: { ...input, quoteId }, canonical: undefined, isQuoted: true }
        return outcomeOf(await createOnce(client, quoted, unsure, callOptions))
      } catch (failure) {
        if (isConflict(failure)) return conflictOf(failure)
        if (isRowFailure(failure)) return failedWith(failure)
        if (!isWorthSettling(failure, callOptions)) throw failure
        if (isInFlight(failure)) return failedWith(failure, 'unknown')
        return settle(client, order, ledger, failure, callOptions)
      }
    },
  }
}

function outcomeOf({ outcome, delivery: { deliveryId, status } }: CreatedOnce): RowOutcome {
  return { outcome, deliveryId, status }
}

function isConflict(failure: unknown): failure is ApiError {
  return failure instanceof ApiError && ['DUPLICATE_ORDER', 'IDEMPOTENCY_KEY_REUSED'].includes(failure.code)
}

function conflictOf(failure: ApiError): RowOutcome {
  const delivery = failure instanceof OrderConflictError ? failure.delivery : undefined
  return { ...failedWith(failure, 'conflict'), deliveryId: delivery?.deliveryId, status: delivery?.status }
}

/** The answer was lost: looks for the delivery under the order's reference. */
async function settle(
  client: Client,
  order: IdentifiedOrder,
  ledger: Pick<OrderLedger, 'differences'>,
  failure: unknown,
  options: CallOptions,
): Promise<RowOutcome> {
  try {
    const existing = await findExisting(client, order, ledger, options)
    if (existing !== undefined) return outcomeOf(existing)
  } catch (error) {
    if (error instanceof OrderConflictError) return conflictOf(error)
    if (!isRowFailure(error)) throw failure
  }
  // Answered for good, and nothing is there; without an answer it may still come into being.
  return failedWith(failure, failure instanceof ApiError ? 'failed' : 'unknown')
}

/** What tells two orders of one run apart under one reference, which the delivery itself need not show. */
function clashWith(row: number | undefined): FieldError[] {
  if (row === undefined) return []
  const message = `row ${row} has the same reference and asks for something else`
  return [{ field: 'clientOrderReference', code: 'DIFFERS', message }]
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
