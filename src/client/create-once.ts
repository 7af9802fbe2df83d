import { ApiError, canonicalJson, type Delivery, type FieldError, type InputOf } from '../contract/index.js'
import { nameClass } from '../shared/dlv-error.js'
import type { Client } from './client.js'
import { findByReference } from './find-by-reference.js'
import { keyLifeMs } from './idempotency-key.js'
import type { CallOptions } from './options.js'
import { orderDifferences } from './order-differences.js'
import { WrittenBody } from './written-body.js'

type Order = InputOf<'createDelivery'>['body']

/** An order with what it is known by. */
export interface IdentifiedOrder {
  /** The body of the request. */
  order: Order
  /** The key that it is sent with. */
  idempotencyKey: string
  /** SHA-256 of the canonical body, in hexadecimal. */
  bodyHash: string
  /** The canonical JSON of the body, if it is known already. */
  canonical?: string | undefined
  /** The body has a quote that is not part of the hash and the key, and that another run would replace by its own. */
  isQuoted?: boolean | undefined
}

/** What is known of an order from before. */
export interface OrderHistory {
  /** Whether it may have been sent before, under the same key. */
  wasSent: boolean
  /** When it was first sent, by the service's clock, in milliseconds since the epoch; `undefined` if that is not known. */
  sentAtMs?: number | undefined
}

/** Where orders are kept before they are sent, so that a later run knows them again. */
export interface OrderLedger {
  /** Keeps an order that is about to be sent, and says what is known of it from before. */
  recall(order: IdentifiedOrder): OrderHistory | Promise<OrderHistory>
  /** Keeps which delivery an order became. */
  conclude?(order: IdentifiedOrder, delivery: Delivery): void | Promise<void>
  /**
   * How an order differs from the one that is on record for a delivery: empty if it is the same, `undefined` if nothing
   * is on record.
   */
  differences?(order: IdentifiedOrder, delivery: Delivery): readonly FieldError[] | undefined
}

/** The result of an order, and its delivery. */
export interface CreatedOnce {
  /** The delivery that it became. */
  delivery: Delivery
  /** `replayed`: the service knew the key. `existing`: the delivery was there already. */
  outcome: 'created' | 'replayed' | 'existing'
}

/** The order's reference belongs to a delivery that is not what the order asks for: nothing was dispatched. */
export class OrderConflictError extends ApiError {
  /** The delivery that has the reference. */
  readonly delivery: Delivery

  constructor(message: string, delivery: Delivery, answer: ConstructorParameters<typeof ApiError>[1]) {
    super(message, answer)
    this.delivery = delivery
  }

  static {
    nameClass(OrderConflictError, 'OrderConflictError')
  }
}

/**
 * Creates a delivery once. An order that was sent before is looked up by its reference first, unless its key is surely
 * still known to the service. If the reference is taken, the delivery that has it is compared with the order.
 *
 * @throws OrderConflictError if the reference belongs to another order, or to a delivery that ended unhappily
 */
export async function createOnce(
  client: Client,
  order: IdentifiedOrder,
  ledger: OrderLedger,
  options?: CallOptions,
): Promise<CreatedOnce> {
  const recalled = ledger.recall(order)
  const history = recalled instanceof Promise ? await recalled : recalled
  if (history.wasSent && !isKeyKnown(history.sentAtMs, client.serviceNowMs())) {
    const existing = await findExisting(client, order, ledger, options)
    if (existing !== undefined) return existing
  }
  try {
    // Under one key goes one text, whoever sends the order again, in whichever order its fields stand.
    const written = new WrittenBody(order.canonical ?? canonicalJson(order.order), () => order.order)
    const input = { body: written as unknown as Order, idempotencyKey: order.idempotencyKey }
    const { value: delivery, replayed } = await client.call('createDelivery', input, options)
    if (ledger.conclude !== undefined) await ledger.conclude(order, delivery)
    return { delivery, outcome: replayed ? 'replayed' : 'created' }
  } catch (error) {
    if (!(error instanceof ApiError) || !isTaken(error, order)) throw error
    const existing = await findExisting(client, order, ledger, options, error)
    if (existing === undefined) throw error
    return existing
  }
}

/** Whether the service has this order already: under its reference or, with another quote, under its key. */
function isTaken({ code }: ApiError, { isQuoted }: IdentifiedOrder): boolean {
  return code === 'DUPLICATE_ORDER' || (isQuoted === true && code === 'IDEMPOTENCY_KEY_REUSED')
}

/** A `Date` has whole seconds. */
const toleranceMs = 2_000

/** Whether the service still knows a key: both times are the service's own, and plausible. */
function isKeyKnown(sentAtMs: number | undefined, nowMs: number | undefined): boolean {
  if (sentAtMs === undefined || nowMs === undefined) return false
  const ageMs = nowMs - sentAtMs
  return ageMs > -toleranceMs && ageMs < keyLifeMs
}

/**
 * The delivery that has the order's reference, if it is the order's; `undefined` if there is none.
 *
 * @param refusal what the service said, if it refused the order for its reference
 * @throws OrderConflictError if it is another order's, or ended unhappily
 */
export async function findExisting(
  client: Client,
  order: IdentifiedOrder,
  ledger: Pick<OrderLedger, 'differences' | 'conclude'>,
  options?: CallOptions,
  refusal?: ApiError,
): Promise<CreatedOnce | undefined> {
  const { clientOrderReference } = order.order
  if (typeof clientOrderReference !== 'string' || clientOrderReference === '') return undefined
  const delivery = await findByReference(client, clientOrderReference, options)
  if (delivery === undefined) return undefined
  const differences = ledger.differences?.(order, delivery) ?? orderDifferences(order.order, delivery)
  if (differences.length > 0 || endedUnhappily(delivery)) throw conflict(order, delivery, differences, refusal)
  await ledger.conclude?.(order, delivery)
  return { delivery, outcome: 'existing' }
}

const unhappyEnds: ReadonlySet<string> = new Set(['failed', 'returned', 'cancelled', 'expired'])

function endedUnhappily({ status }: Delivery): boolean {
  return unhappyEnds.has(status)
}

/** Answered by the service or not, it is what the service says of a reference that is taken. */
function conflict(
  { order }: IdentifiedOrder,
  delivery: Delivery,
  differences: readonly FieldError[],
  refusal: ApiError | undefined,
): OrderConflictError {
  const { deliveryId, status, statusReasonCode } = delivery
  const reason = statusReasonCode == null ? '' : ` (${statusReasonCode})`
  const ended = endedUnhappily(delivery) ? `ended as ${status}${reason}` : undefined
  const differs = differences.length > 0 ? 'differs from this order' : undefined
  const what = [ended, differs].filter((part) => part !== undefined).join(' and ')
  const advice =
    ended === undefined
      ? `To change that delivery: dlv deliveries update ${deliveryId}.`
      : 'To dispatch it again, give it a new clientOrderReference.'
  const hint = `Nothing was dispatched. ${advice} A different order needs a reference of its own. Next: dlv deliveries get ${deliveryId}`
  return new OrderConflictError(`${order.clientOrderReference} is taken by ${deliveryId}, which ${what}`, delivery, {
    status: 409,
    code: 'DUPLICATE_ORDER',
    requestId: refusal?.requestId,
    fieldErrors: differences,
    details: { ...refusal?.details, existingDeliveryId: deliveryId },
    hint,
  })
}
