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
import { asOwn, findExisting, hashOf, stopwatch, withDelivery } from '../../client/internal.js'
import {
  ApiError,
  codePointLength,
  type Delivery,
  DeliveryCreate,
  type FieldError,
  type InputOf,
  limits,
  type Quote,
  readRequest,
  UsageError,
  withoutMarks,
} from '../../contract/index.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import { isRecord } from '../../shared/json.js'
import { isInFlight, isRowFailure, isWorthSettling } from '../outcome.js'
import { failedWith, type PreparedRow, type RowAction, type RowOutcome } from './row-action.js'

type Order = InputOf<'createDelivery'>['body']

/** Options for all orders of a run. */
export interface CreateOptions {
  /** Part of each idempotency key, if given: the same order in another scope is another delivery. */
  scope?: string | undefined
  /** Gives each row a random idempotency key instead of one derived from the order. */
  newKeys?: boolean | undefined
  /** Recognizes orders that were sent before, by a run with other results or one by one. */
  ledger?: OrderLedger | undefined
  /** Creates each order with its cheapest quote, requested just before the row is sent; a row without a quote fails. */
  cheapest?: QuoteChoice | undefined
  /** Called with the quote that an order is created with. */
  onQuote?: ((quote: Quote, order: Order) => void) | undefined
  /** Called with each delivery that this run creates; its price includes the tip. */
  onCreated?: ((delivery: Delivery) => void) | undefined
}

/** Creates a delivery from each row. */
export function createAction(client: Client, options: CreateOptions = {}): RowAction<Order> {
  const { ledger: shared, cheapest, onQuote } = options
  const outcomeOf = ({ outcome, delivery }: CreatedOnce): RowOutcome => {
    if (outcome === 'created') options.onCreated?.(delivery)
    return rowOutcomeOf({ outcome, delivery })
  }
  return {
    operation: 'createDelivery',
    serviceNowMs: () => client.serviceNowMs(),
    prepare: (value) => prepareOrder(value, options),
    ...(shared && { record: (rows) => shared.record(rows.map(identifiedOrder), client.serviceNowMs()) }),
    async execute(prepared, history, callOptions) {
      const order = identifiedOrder(prepared)
      const elapsedMs = stopwatch()
      const found = (existing: CreatedOnce) => {
        const ours = history.wasSent ? existing : asOwn(client, existing, elapsedMs())
        return ours === undefined ? undefined : outcomeOf(ours)
      }
      const ledger: OrderLedger = {
        record: () => [history],
        conclude: (_, delivery) => shared?.conclude?.(order, delivery),
        forget: () => shared?.forget?.(order),
        isOther: (_, delivery) => shared?.isOther?.(order, delivery) ?? false,
        differences(_, delivery) {
          const differences = shared?.differences?.(order, delivery) ?? orderDifferences(order.order, delivery)
          return differences.length > 0 ? differences : clashWith(history.clashingRow())
        },
      }
      try {
        if (cheapest === undefined) return outcomeOf(await createOnce(client, order, ledger, callOptions))
        const quote = await cheapestQuote(client, prepared.input, cheapest, callOptions)
        const { quoteId } = quote
        // The quote changes the body, so an order that may have been sent is looked up before the key is used again.
        const unsure = { ...ledger, record: () => [{ ...history, sentAtMs: undefined }] }
        const quoted = { ...order, order: { ...prepared.input, quoteId }, canonical: undefined, isQuoted: true }
        const created = await createOnce(client, quoted, unsure, callOptions)
        if (created.outcome !== 'existing') onQuote?.(quote, prepared.input)
        return outcomeOf(created)
      } catch (failure) {
        if (isConflict(failure)) return conflictOf(failure)
        if (isListedOnly(failure)) return failedWith(failure, 'unknown')
        if (isRowFailure(failure)) return failedWith(failure)
        if (!isWorthSettling(failure, callOptions)) throw failure
        if (isInFlight(failure)) return failedWith(failure, 'unknown')
        return settle(client, order, { ledger, found }, failure, callOptions)
      }
    },
  }
}

function prepareOrder(given: unknown, { scope, newKeys }: CreateOptions): PreparedRow<Order> {
  const value = withoutMarks(readRequest(DeliveryCreate, given))
  const clientOrderReference = referenceOf(value)
  const canonical = canonicalJson(value)
  const bodyHash = hashOf(canonical)
  const idempotencyKey = newKeys ? newIdempotencyKey() : idempotencyKeyOf({ scope, order: value, bodyHash })
  return { clientOrderReference, idempotencyKey, bodyHash, input: value as Order, canonical }
}

function referenceOf(value: unknown): string {
  if (!isRecord(value)) throw new UsageError('The row is not a JSON object')
  const { clientOrderReference } = value
  if (typeof clientOrderReference !== 'string' || clientOrderReference === '')
    throw new UsageError('clientOrderReference is missing', {
      hint: 'Give each order one of its own, and keep it when the sheet is sent again: it is what keeps a second run from sending all of them twice.',
    })
  if (codePointLength(clientOrderReference) > limits.clientOrderReferenceMaxLength)
    throw new UsageError(`clientOrderReference has more than ${limits.clientOrderReferenceMaxLength} characters`)
  return clientOrderReference
}

function identifiedOrder({ input, idempotencyKey, bodyHash, canonical, line }: PreparedRow<Order>): IdentifiedOrder {
  return { order: input, idempotencyKey: idempotencyKey ?? '', bodyHash, canonical, line }
}

function rowOutcomeOf({ outcome, delivery: { deliveryId, status } }: CreatedOnce): RowOutcome {
  return { outcome, deliveryId, status }
}

function isConflict(failure: unknown): failure is ApiError {
  return failure instanceof ApiError && ['DUPLICATE_ORDER', 'IDEMPOTENCY_KEY_REUSED'].includes(failure.code)
}

/** Whether the list has a delivery with the order's reference that cannot be read, and so cannot be compared. */
function isListedOnly(failure: unknown): boolean {
  return failure instanceof ApiError && failure.code === 'DELIVERY_NOT_FOUND'
}

function conflictOf(failure: ApiError): RowOutcome {
  const delivery = failure instanceof OrderConflictError ? failure.delivery : undefined
  return { ...failedWith(failure, 'conflict'), deliveryId: delivery?.deliveryId, status: delivery?.status }
}

/** Looks for the delivery with the order's reference after the response was lost. */
async function settle(
  client: Client,
  order: IdentifiedOrder,
  {
    ledger,
    found,
  }: { ledger: Pick<OrderLedger, 'differences' | 'isOther'>; found(existing: CreatedOnce): RowOutcome | undefined },
  failure: unknown,
  options: CallOptions,
): Promise<RowOutcome> {
  try {
    const existing = await findExisting(client, order, ledger, options)
    if (existing !== undefined)
      return found(existing) ?? failedWith(withDelivery(failure, existing.delivery), 'unknown')
  } catch (error) {
    if (error instanceof OrderConflictError) return conflictOf(error)
    if (isListedOnly(error)) return failedWith(failure, 'unknown')
    if (!isRowFailure(error)) throw failure
  }
  // Without a final response, the delivery may still be created.
  return failedWith(failure, failure instanceof ApiError ? 'failed' : 'unknown')
}

/** The conflict between two orders of a run with the same reference; the delivery itself may not show it. */
function clashWith(row: number | undefined): FieldError[] {
  if (row === undefined) return []
  const message = `row ${row} has the same reference and asks for something else`
  return [{ field: 'clientOrderReference', code: 'DIFFERS', message }]
}
