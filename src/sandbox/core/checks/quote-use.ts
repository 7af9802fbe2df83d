import { zipOf } from '../geo/places.js'
import { expiredQuoteId } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import { timestamp } from '../timestamp.js'
import { inconsistent, type OrderContext } from './order-context.js'

/** A quote holds for the store and the ZIP code that it was made for, until it expires. */
export function checkQuote({ world, order, purpose }: OrderContext): void {
  if (purpose !== 'create' || order.quoteId === undefined) return
  if (order.quoteId === expiredQuoteId) throw expired(order.quoteId, undefined)
  const quote = world.quote(order.quoteId)
  if (quote === undefined || quote.accountId !== world.account.accountId)
    throw inconsistent('quoteId', `names no quote of the account: "${order.quoteId}"`)
  if (quote.expiresAtMs <= world.nowMs) throw expired(order.quoteId, quote.expiresAtMs)
  if (quote.storeReference !== order.pickup.storeReference)
    throw inconsistent('quoteId', `was made for the store ${quote.storeReference}`)
  if (quote.postalCode !== zipOf(order.dropoff))
    throw inconsistent('quoteId', `was made for the ZIP code ${quote.postalCode}`)
}

function expired(quoteId: string, expiresAtMs: number | undefined): Refusal {
  return new Refusal('QUOTE_EXPIRED', `The quote ${quoteId} has expired. Ask for a new one.`, {
    details: { quoteId, ...(expiresAtMs === undefined ? {} : { expiredAt: timestamp(expiresAtMs) }) },
  })
}
