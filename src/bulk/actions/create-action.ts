import {
  type CallOptions,
  type Client,
  type CreatedOnce,
  cheapestQuote,
  createOnce,
  type IdentifiedOrder,
  OrderConflictError,
  type OrderLedger,
  orderDifferences,
  type QuoteChoice,
} from '../../client/index.js'
import { findExisting } from '../../client/internal.js'
import { ApiError, type FieldError, type InputOf, type Quote } from '../../contract/index.js'
import { isInFlight, isRowFailure, isWorthSettling } from '../stop-reason.js'
import { PreparedOrder, prepareOrder } from './prepared-order.js'
import { failedWith, type PreparedRow, type RowAction, type RowOutcome } from './row-action.js'

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
    prepare: (value) => (value instanceof PreparedOrder ? value : prepareOrder(value, { profile, newKeys })),
    async execute(prepared, history, callOptions) {
      const order = new RowOrder(prepared)
      const ledger: OrderLedger = {
        recall: () => history,
        differences(_, delivery) {
          const differences = orderDifferences(prepared.input, delivery)
          return differences.length > 0 ? differences : clashWith(history.clashingRow())
        },
      }
      try {
        if (cheapest === undefined) return outcomeOf(await createOnce(client, order, ledger, callOptions))
        const quote = await cheapestQuote(client, prepared.input, cheapest, callOptions)
        onQuote?.(quote, prepared.input)
        const { quoteId } = quote
        // Another quote makes another body: what may have been sent is looked up before the key is used again.
        const unsure = { ...ledger, recall: () => ({ wasSent: history.wasSent }) }
        const quoted = { ...order, order: { ...prepared.input, quoteId }, canonical: undefined, isQuoted: true }
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

/** The order that is sent; it is read from its text only if it is looked at. */
class RowOrder implements IdentifiedOrder {
  readonly idempotencyKey: string
  readonly bodyHash: string
  readonly canonical: string | undefined
  readonly #row: PreparedRow<Order>

  constructor(row: PreparedRow<Order>) {
    this.#row = row
    this.idempotencyKey = row.idempotencyKey ?? ''
    this.bodyHash = row.bodyHash
    this.canonical = row.canonical
  }

  get order(): Order {
    return this.#row.input
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
