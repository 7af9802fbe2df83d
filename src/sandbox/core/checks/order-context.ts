import type { DeliveryCreate, QuoteCreate } from '../../../contract/index.js'
import type { World } from '../../model.js'
import { Refusal } from '../refusal.js'

/** An order or a request for quotes: a quote needs less of it. */
export type OrderLike = Omit<DeliveryCreate, 'clientOrderReference' | 'dropoff'> &
  Pick<QuoteCreate, 'clientOrderReference' | 'dropoff'>

export interface OrderContext {
  world: World
  order: OrderLike
  purpose: 'create' | 'quote' | 'update'
  /** The body as it was sent, before its schema dropped what it does not know. */
  rawBody?: unknown
}

/** A business rule that an order breaks: 422 with the field that is to blame, and with what it may hold if that is known. */
export function inconsistent(field: string, message: string, allowed?: readonly string[]): Refusal {
  return new Refusal('VALIDATION_ERROR', `${field} ${message}.`, {
    status: 422,
    fieldErrors: [{ field, code: 'INVALID_VALUE', message }],
    ...(allowed === undefined ? {} : { details: { allowed } }),
  })
}
