import { ApiError, type Delivery, type FieldError, type InputOf, UsageError, withHint } from '../contract/index.js'
import { canonicalJson } from '../shared/canonical-json.js'
import { nameClass } from '../shared/dlv-error.js'
import { isRecord } from '../shared/json.js'
import { trimmed } from '../shared/texts.js'
import type { Client } from './client.js'
import { findByReference } from './find-by-reference.js'
import { keyLifeMs } from './idempotency-key.js'
import { isRefusedAfterLoss } from './lost-answer.js'
import type { CallOptions } from './options.js'
import { orderDifferences } from './order-differences.js'
import { WrittenBody } from './prepare-call.js'
import { isAnsweredInFront } from './retry/retry.js'

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
  /** The line of the file that it is from, or the row of its sheet. */
  line?: number | undefined
  /** The body has a quote that is not part of the hash and the key, and that another run would replace by its own. */
  isQuoted?: boolean | undefined
}

/** The history of an order before this call. */
export interface OrderHistory {
  /** Whether it may have been sent before, under the same key. */
  wasSent: boolean
  /** When it was first sent, by the service's clock, in milliseconds since the epoch; `undefined` if that is not known. */
  sentAtMs?: number | undefined
  /** The delivery that it became, if that is known. */
  deliveryId?: string | undefined
  /** Whether this machine's clock does not rule out that the service has forgotten the key. */
  isKeyDoubtful?: boolean | undefined
}

/** A record of orders before they are sent, so that a later run recognizes them. */
export interface OrderLedger {
  /**
   * Records orders that are about to be sent, and returns what is known of each from before.
   *
   * @param serviceMs the service's time, if it is known, in milliseconds since the epoch
   */
  record(
    orders: readonly IdentifiedOrder[],
    serviceMs: number | undefined,
  ): readonly OrderHistory[] | Promise<readonly OrderHistory[]>
  /** Records which delivery an order became. */
  conclude?(order: IdentifiedOrder, delivery: Delivery): void | Promise<void>
  /** Removes an order that the service refused, which did not become a delivery. */
  forget?(order: IdentifiedOrder): void | Promise<void>
  /**
   * How an order differs from the one that is on record for a delivery: empty if it is the same, `undefined` if nothing
   * is on record.
   */
  differences?(order: IdentifiedOrder, delivery: Delivery): readonly FieldError[] | undefined
  /** Whether a delivery is on record as what the same reference became under another key, and not under the order's own. */
  isOther?(order: IdentifiedOrder, delivery: Delivery): boolean
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
 * Creates a delivery once. An order that was sent before is looked up first: the delivery that it became or, if that is
 * not known, by its reference, unless its key is surely still known to the service. A delivery that is on record under
 * another key is not the order's: with its own key it is sent again. If the reference is taken, the delivery that has it
 * is compared with the order.
 *
 * @throws OrderConflictError if the reference belongs to another order, or to a delivery that ended unhappily
 * @throws UsageError for a reference with white space around it, or if nothing tells whether an earlier request became a delivery
 */
export async function createOnce(
  client: Client,
  order: IdentifiedOrder,
  ledger: OrderLedger,
  options?: CallOptions,
): Promise<CreatedOnce> {
  refuseBlankAround(order.order.clientOrderReference)
  const [history = { wasSent: false }] = await ledger.record([order], client.serviceNowMs())
  const known = await findSent(client, order, history, ledger, options)
  if (known !== undefined) return known
  const call = { client, order, ledger, options, wasSent: history.wasSent, elapsedMs: stopwatch() }
  try {
    return await dispatch(call)
  } catch (failure) {
    if (!history.wasSent && isRefused(failure, order)) await ledger.forget?.(order)
    if (isAnsweredInFront(failure)) return createdBehind(call, failure)
    if (failure instanceof ApiError && isTaken(failure, order)) return holderOfReference(call, failure)
    throw failure
  }
}

/** The call that an order is sent with. */
interface DispatchCall {
  client: Client
  order: IdentifiedOrder
  ledger: OrderLedger
  options: CallOptions | undefined
  /** Whether the order may have been sent before this call. */
  wasSent: boolean
  elapsedMs: () => number
}

/** Sends the order, and records which delivery it became. */
async function dispatch({ client, order, ledger, options, wasSent }: DispatchCall): Promise<CreatedOnce> {
  // Under one key goes one text, whoever sends the order again, in whichever order its fields stand.
  const written = new WrittenBody(order.canonical ?? canonicalJson(order.order), () => order.order)
  const input = { body: written as unknown as Order, idempotencyKey: order.idempotencyKey }
  const { value: delivery, replayed, wasLost } = await client.call('createDelivery', input, options)
  if (ledger.conclude !== undefined) await ledger.conclude(order, delivery)
  // The stored answer is that of this call, unless the order was sent before.
  const isOwn = wasLost && !wasSent
  return { delivery, outcome: replayed && !isOwn ? 'replayed' : 'created' }
}

/**
 * The delivery that the service created while something in front of it answered.
 *
 * @throws the failure, if there is none or it may have come of another request
 */
async function createdBehind(call: DispatchCall, failure: unknown): Promise<CreatedOnce> {
  const { client, order, ledger, options } = call
  const existing = await findExisting(client, order, ledger, options).catch(() => undefined)
  if (existing === undefined) throw failure
  const created = ofCall(call, existing)
  if (created === undefined) throw withDelivery(failure, existing.delivery)
  return created
}

/**
 * The delivery that has the reference of a refused order.
 *
 * @throws OrderConflictError if it is not what the order asks for; then the ledger knows nothing of the refused order
 */
async function holderOfReference(call: DispatchCall, refusal: ApiError): Promise<CreatedOnce> {
  const { client, order, ledger, options, wasSent } = call
  const isAfterLoss = isRefusedAfterLoss(refusal)
  try {
    const existing = await findExisting(client, order, ledger, options, refusal)
    if (existing === undefined) throw refusal
    // Its own key would have been answered with its own delivery.
    return (isAfterLoss ? ofCall(call, existing) : existing) ?? existing
  } catch (conflict) {
    // What another order has been refused for is not what the delivery was ordered with.
    const isOther = conflict instanceof OrderConflictError && conflict.fieldErrors.length > 0
    if (isOther && !wasSent && !isAfterLoss) await ledger.forget?.(order)
    throw conflict
  }
}

/** A delivery that was found, as this call's own if it created it; `undefined` if nothing tells. */
function ofCall({ client, wasSent, elapsedMs }: DispatchCall, found: CreatedOnce): CreatedOnce | undefined {
  return wasSent ? found : asOwn(client, found, elapsedMs())
}

/** `Q1` and `Q1 ` are one order to people, and two to the service: the second driver would be sent. */
function refuseBlankAround(reference: unknown): void {
  if (typeof reference !== 'string' || trimmed(reference) === reference) return
  throw new UsageError(`clientOrderReference: ${JSON.stringify(reference)} has white space around it`, {
    hint: `Nothing was sent. Use ${JSON.stringify(trimmed(reference))}, also for the key of the order.`,
  })
}

/** Milliseconds since now, also if the machine sleeps, when the monotonic clock stands still. */
export function stopwatch(): () => number {
  const [wallMs, monotonicMs] = [Date.now(), performance.now()]
  return () => Math.max(Date.now() - wallMs, performance.now() - monotonicMs)
}

/**
 * A delivery that was found after an answer was lost: it is this call's own if it was created since the call began, by the
 * service's clock; `undefined` if nothing says when it was created.
 */
export function asOwn(
  client: Pick<Client, 'serviceNowMs'>,
  found: CreatedOnce,
  elapsedMs: number,
): CreatedOnce | undefined {
  const createdMs = createdAtMs(found.delivery)
  if (createdMs === undefined) return undefined
  const nowMs = client.serviceNowMs()
  const begunMs = (nowMs ?? Date.now() - unknownSkewMs) - elapsedMs - toleranceMs
  return createdMs < begunMs ? found : { ...found, outcome: 'created' }
}

/** When a delivery was created; its history says it where `createdAt` is left out. */
function createdAtMs({ createdAt, statusHistory }: Delivery): number | undefined {
  const times = createdAt == null ? (statusHistory ?? []).map((entry) => entry.occurredAt) : [createdAt]
  const known = times.map((time) => Date.parse(time ?? '')).filter((time) => !Number.isNaN(time))
  return known.length === 0 ? undefined : Math.min(...known)
}

/** The failure of an order, with the delivery that has its reference and may have come of it or of another request. */
export function withDelivery(failure: unknown, { deliveryId, clientOrderReference }: Delivery): unknown {
  const what = `${clientOrderReference} is ${deliveryId} now; whether this request created it, the service does not say.`
  return withHint(failure, `${what} Nothing is dispatched twice.`)
}

/** Whether the service has refused an order for good, so that no delivery comes of the request. */
function isRefused(error: unknown, { isQuoted }: IdentifiedOrder): boolean {
  if (!(error instanceof ApiError)) return false
  const isOther = error.code === 'IDEMPOTENCY_KEY_REUSED' && isQuoted !== true
  return isOther || [400, 403, 404, 422].includes(error.status)
}

/** Whether the service has this order already: under its reference or, with another quote, under its key. */
function isTaken({ code }: ApiError, { isQuoted }: IdentifiedOrder): boolean {
  return code === 'DUPLICATE_ORDER' || (isQuoted === true && code === 'IDEMPOTENCY_KEY_REUSED')
}

/** A `Date` has whole seconds. */
const toleranceMs = 2_000

/** Two machines of which neither is known to be wrong. */
const unknownSkewMs = 300_000

/** Whether the service still knows a key: both times are the service's own, and plausible. */
function isKeyKnown(sentAtMs: number | undefined, nowMs: number | undefined): boolean {
  if (sentAtMs === undefined || nowMs === undefined) return false
  const ageMs = nowMs - sentAtMs
  return ageMs > -toleranceMs && ageMs < keyLifeMs
}

/** The delivery of an order that was sent before; `undefined` if there is none, or sending it again tells. */
async function findSent(
  client: Client,
  order: IdentifiedOrder,
  { wasSent, sentAtMs, deliveryId, isKeyDoubtful }: OrderHistory,
  ledger: OrderLedger,
  options: CallOptions | undefined,
): Promise<CreatedOnce | undefined> {
  if (!wasSent) return undefined
  const delivery = deliveryId === undefined ? undefined : await readDelivery(client, deliveryId, options)
  const reference = order.order.clientOrderReference ?? undefined
  // An id of another account's may be the same.
  const isOurs = (delivery?.clientOrderReference ?? reference) === reference
  if (delivery !== undefined && isOurs) return asExisting(order, delivery, [], ledger)
  if (isKeyKnown(sentAtMs, client.serviceNowMs())) return undefined
  const holder = reference ? await findByReference(client, reference, options) : undefined
  if (reference && holder === undefined) return undefined
  if (holder !== undefined && ledger.isOther?.(order, holder) !== true) return existingOf(order, holder, ledger)
  const isAgainSafe =
    holder === undefined ? isKeyDoubtful !== true || deliveryId !== undefined : isKeyDoubtful === false
  if (isAgainSafe) return undefined
  const why =
    holder === undefined
      ? 'has no reference to look it up by'
      : `${reference} is ${holder.deliveryId}, which came of an earlier request`
  throw new UsageError(`This order was sent before without an answer, and ${why}`, {
    hint: 'Nothing was sent. Look for it with listDeliveries({ from: "7d" }); { newKey: true } dispatches it again.',
  })
}

async function readDelivery(client: Client, deliveryId: string, options?: CallOptions): Promise<Delivery | undefined> {
  try {
    return await client.getDelivery({ deliveryId }, options)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/**
 * The delivery that has the order's reference, if it is the order's; `undefined` if there is none, or it is on record as
 * what came of another key.
 *
 * @param refusal what the service said, if it refused the order for its reference
 * @throws OrderConflictError if it is another order's, or ended unhappily
 */
export async function findExisting(
  client: Client,
  order: IdentifiedOrder,
  ledger: Pick<OrderLedger, 'differences' | 'conclude' | 'isOther'>,
  options?: CallOptions,
  refusal?: ApiError,
): Promise<CreatedOnce | undefined> {
  const { clientOrderReference } = order.order
  if (typeof clientOrderReference !== 'string' || clientOrderReference === '') return undefined
  const delivery = await findByReference(client, clientOrderReference, options)
  if (delivery === undefined || (refusal === undefined && ledger.isOther?.(order, delivery) === true)) return undefined
  return existingOf(order, delivery, ledger, refusal)
}

function existingOf(
  order: IdentifiedOrder,
  delivery: Delivery,
  ledger: Pick<OrderLedger, 'differences' | 'conclude'>,
  refusal?: ApiError,
): Promise<CreatedOnce> {
  const differences = ledger.differences?.(order, delivery) ?? orderDifferences(order.order, delivery)
  return asExisting(order, delivery, differences, ledger, refusal)
}

async function asExisting(
  order: IdentifiedOrder,
  delivery: Delivery,
  differences: readonly FieldError[],
  ledger: Pick<OrderLedger, 'conclude'>,
  refusal?: ApiError,
): Promise<CreatedOnce> {
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
      ? `To change that delivery: updateDelivery(${JSON.stringify(deliveryId)}).`
      : `To dispatch it again, ${refusal === undefined ? 'use { newKey: true } or ' : ''}give it a new clientOrderReference.`
  const hint = `Nothing was dispatched. ${advice} A different order needs a reference of its own. Next: getDelivery(${JSON.stringify(deliveryId)})`
  const subject = order.clientOrderReference ? `${order.clientOrderReference} is taken by` : 'This order became'
  return new OrderConflictError(`${subject} ${deliveryId}, which ${what}`, delivery, {
    status: 409,
    code: 'DUPLICATE_ORDER',
    requestId: refusal?.requestId,
    fieldErrors: differences,
    details: { ...(isRecord(refusal?.details) ? refusal.details : {}), existingDeliveryId: deliveryId },
    hint,
  })
}
