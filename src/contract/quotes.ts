import { z } from 'zod'
import { operation } from './operation.js'
import { QuoteCreate } from './orders.js'
import { Cents, openEnum, openObject, Timestamp } from './primitives.js'
import type * as wire from './types.generated.js'

export const Quote = openObject({
  quoteId: z.string(),
  carrierId: z.string().nullish(),
  carrierName: z.string().nullish(),
  currency: z.string().nullish(),
  totalPriceCents: Cents,
  pickupEta: Timestamp.nullish(),
  dropoffEta: Timestamp.nullish(),
})
/** An offered price, valid until its `expiresAt`. */
export type Quote = wire.Quote

/** Why a response has no quotes. */
export const noQuoteReasons = ['OUTSIDE_COVERAGE', 'NO_CAPACITY', 'OUTSIDE_HOURS', 'REQUIREMENT_UNSUPPORTED'] as const

/** Having no quotes is not an error: `quotes` is empty and `noQuoteReason` says why. */
export const QuoteResponse = openObject({
  clientOrderReference: z.string().nullish(),
  quotes: z.array(Quote),
  expiresAt: Timestamp.nullish(),
  noQuoteReason: openEnum(noQuoteReasons).nullish(),
})
export type QuoteResponse = wire.QuoteResponse

/** The operations on quotes. */
export const quoteOperations = {
  createQuote: operation({
    method: 'POST',
    path: '/quotes',
    repeat: 'safe',
    summary: 'Get delivery quotes',
    description:
      'Returns prices and estimated times without creating a delivery. If nobody can serve the request, `quotes` is ' +
      'empty and `noQuoteReason` says why; that is not an error.',
    tag: 'Quotes',
    body: QuoteCreate,
    capability: 'quotes',
    responses: { 200: QuoteResponse },
    errors: [
      'VALIDATION_ERROR',
      'INVALID_PHONE_NUMBER',
      'INVALID_ADDRESS',
      'INVALID_TIME_CONSTRAINT',
      'INVALID_STORE_REFERENCE',
      'UNSUPPORTED_REQUIREMENT',
      'UNSUPPORTED_DESTINATION',
      'INSTALLATION_NOT_SERVED',
      'INSTALLATION_NOT_ACCEPTING_DELIVERIES',
      'PROHIBITED_CARGO_FOR_DESTINATION',
      'QUOTES_NOT_SUPPORTED',
    ],
  }),
}
