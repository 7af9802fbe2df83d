import {
  type CallOptions,
  type Client,
  type CreatedOnce,
  createOnce,
  type IdentifiedOrder,
  type OrderLedger,
} from '../client/index.js'
import type { Quote } from '../contract/index.js'
import type { SentLedger } from './ledger.js'

/** Where an order is from, and the quote that it is created with. */
interface SentWith {
  /** The file. */
  source?: string | undefined
  quote?: Quote | undefined
}

/**
 * Sends an order once. Its key, its body's hash and what may be kept of it are on disk before the request: the process
 * may be killed, and the same order is then recognized.
 *
 * @throws OrderConflictError if its reference belongs to another order
 */
export async function sendRecorded(
  client: Client,
  order: IdentifiedOrder,
  ledger: SentLedger,
  { source, quote }: SentWith = {},
  options?: CallOptions,
): Promise<CreatedOnce> {
  const created = await createOnce(client, order, recordingFrom(ledger, source), options)
  // A delivery that was there already has the quote that it was created with.
  if (quote !== undefined && created.outcome !== 'existing') ledger.chosen(quote, order.order.clientOrderReference)
  return created
}

/** The same ledger, which notes the file that orders are from. */
export function recordingFrom(ledger: SentLedger, source: string | undefined): OrderLedger {
  return {
    record: (orders, serviceMs) => ledger.record(orders, serviceMs, source),
    conclude: (order, delivery) => ledger.conclude?.(order, delivery),
    forget: (order) => ledger.forget?.(order),
    differences: (order, delivery) => ledger.differences?.(order, delivery),
    isOther: (order, delivery) => ledger.isOther?.(order, delivery) ?? false,
  }
}
