import type { Quote, QuoteResponse } from '../contract/index.js'
import { moneyText } from './money.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { table } from './table.js'
import { relativeText, spanText } from './times.js'
import { cell, idOf, type View } from './view.js'

const columns: View<QuoteResponse>['columns'] = [
  { name: 'quoteId', header: 'QUOTE', keep: true },
  {
    name: 'totalPriceCents',
    header: 'PRICE',
    align: 'right',
    cell: cell<Quote>((quote) => moneyText(quote.totalPriceCents, quote.currency)),
  },
  { name: 'currency', narrow: false },
  { name: 'carrierName', header: 'CARRIER', elastic: true },
  { name: 'pickupEta', header: 'PICKUP', cell: cell<Quote>((quote, style) => etaText(quote.pickupEta, style)) },
  { name: 'dropoffEta', header: 'DROPOFF', cell: cell<Quote>((quote, style) => etaText(quote.dropoffEta, style)) },
]

/** Quotes by price, with their estimated times and how long they are valid. */
export const quoteView: View<QuoteResponse> = {
  id: idOf('quoteId'),
  shows: ['createQuote'],
  timed: true,
  columns,
  rows: byPrice,
  card(response, style) {
    if (response.quotes.length === 0) return noQuoteText(response)
    const shown = columns.filter((column) => column.narrow !== false)
    return [table(shown, byPrice(response), style, { header: true }), lifeText(response, style)]
      .filter(Boolean)
      .join('\n\n')
  },
}

/** A quote as part of a sentence: `$10.14 by Swift Couriers, dropoff in 40m`. */
export function quoteText(quote: Quote, style: Style): string {
  const eta = etaText(quote.dropoffEta, style)
  return [
    [moneyText(quote.totalPriceCents, quote.currency), plainValue(quote.carrierName)].filter(Boolean).join(' by '),
    eta === '' ? '' : `dropoff ${eta}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The service's reason for having no quote. */
export function noQuoteText({ noQuoteReason }: QuoteResponse): string {
  return noQuoteReason == null ? 'No quotes; the service gives no reason.' : `No quotes: ${plainText(noQuoteReason)}.`
}

function byPrice({ quotes }: QuoteResponse): Quote[] {
  return [...quotes].sort((a, b) => a.totalPriceCents - b.totalPriceCents)
}

function etaText(timestamp: string | null | undefined, style: Style): string {
  if (timestamp == null) return ''
  const atMs = Date.parse(timestamp)
  return Number.isNaN(atMs) ? plainText(timestamp) : relativeText(atMs, style.nowMs)
}

function lifeText({ expiresAt }: QuoteResponse, style: Style): string {
  if (expiresAt == null) return ''
  const leftMs = Date.parse(expiresAt) - style.nowMs
  if (Number.isNaN(leftMs)) return ''
  return leftMs > 0
    ? paint(style, 'dim', `Prices are valid for ${spanText(leftMs)}.`)
    : paint(style, 'yellow', 'These quotes have expired.')
}
