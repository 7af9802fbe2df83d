import { isSameOrder } from '../../bulk/index.js'
import { bodyHashOf, type Client, keyLifeMs } from '../../client/index.js'
import { ApiError, type Delivery, type InputOf } from '../../contract/index.js'
import type { Notices } from '../output/notices.js'
import { lookUp } from './find-by-reference.js'
import { keepSentOrder } from './sent-order-log.js'

/** What became of one order. */
export interface Created {
  delivery: Delivery
  outcome: 'created' | 'replayed' | 'existing'
}

/** For whom an order is sent, and where what was sent is kept. */
export interface Sender {
  profile: string
  dataDir: string
  nowMs: number
  notices: Notices
}

/**
 * Creates a delivery once. Its key and body hash are kept before it is sent. A key that the service may have forgotten
 * is not sent before its reference has been looked up. Where the reference is taken, the delivery that has it is
 * compared with the order: the same order is `existing` and no error; for another one the service's refusal stands, and
 * says which delivery is meant.
 */
export async function createOnce(client: Client, input: InputOf<'createDelivery'>, sender: Sender): Promise<Created> {
  const { clientOrderReference } = input.body
  if (isForgotten(firstSentMs(input, sender), sender.nowMs) && clientOrderReference) {
    const existing = await lookUp(client, clientOrderReference)
    if (existing !== undefined) return { delivery: existing, outcome: 'existing' }
  }
  try {
    const { value: delivery, replayed } = await client.call('createDelivery', input)
    return { delivery, outcome: replayed ? 'replayed' : 'created' }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'DUPLICATE_ORDER') throw error
    const existing = await lookUp(client, clientOrderReference)
    if (existing === undefined) throw error
    if (isSameOrder(input.body, existing)) return { delivery: existing, outcome: 'existing' }
    throw conflict(error, existing)
  }
}

/** When this very order was first sent under this key; `undefined` where that is now, or cannot be told. */
function firstSentMs({ body, idempotencyKey }: InputOf<'createDelivery'>, sender: Sender): number | undefined {
  const { profile, dataDir, nowMs, notices } = sender
  try {
    const known = keepSentOrder(dataDir, {
      at: new Date(nowMs).toISOString(),
      profile,
      clientOrderReference: body.clientOrderReference ?? null,
      idempotencyKey,
      bodyHash: bodyHashOf(body),
    })
    return known === undefined ? undefined : Date.parse(known.at)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    notices.warn(`The key of this order could not be kept (${error.message}): ${idempotencyKey}`)
    return undefined
  }
}

function isForgotten(sentMs: number | undefined, nowMs: number): boolean {
  return sentMs !== undefined && nowMs - sentMs > keyLifeMs
}

function conflict(error: ApiError, { deliveryId }: Delivery): ApiError {
  const { status, code, requestId, fieldErrors, details, message } = error
  const hint = `${deliveryId} has this reference and is another order. Next: dlv deliveries get ${deliveryId}`
  return new ApiError(message, { status, code, requestId, fieldErrors, details, hint })
}
