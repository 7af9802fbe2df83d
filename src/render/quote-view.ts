import type { Quote, QuoteResponse } from '../contract/index.js'
import { spanText } from '../shared/durations.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { table } from './table.js'
import { cell, idOf, type View, valueAt } from './view.js'
import { moneyText, relativeText, whenText } from './words.js'

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

/** The quotes for one order of many, the cheapest first. */
export interface QuotedRow {
  row: number
  clientOrderReference: string | null
  /** `none` if the order has no quote, which is not an error. */
  outcome: 'quoted' | 'none' | 'failed'
  quotes: Quote[]
  expiresAt: string | null
  noQuoteReason: string | null
  error: { code: string; message: string } | null
}

/** The cheapest quote of each order, or why there is none. */
export const quotedRowsView: View<QuotedRow[]> = {
  id: (row) => plainValue(valueAt(row, 'quotes.0.quoteId')),
  timed: true,
  empty: 'No orders.',
  columns: [
    { name: 'row', align: 'right' },
    { name: 'clientOrderReference', header: 'REFERENCE', elastic: true, narrowest: 24, keep: true },
    {
      name: 'outcome',
      cell: cell<QuotedRow>(({ outcome }, style) =>
        paint(style, outcome === 'quoted' ? 'green' : outcome === 'none' ? 'yellow' : 'red', outcome),
      ),
    },
    {
      name: 'quotes.0.totalPriceCents',
      header: 'CHEAPEST',
      align: 'right',
      cell: cell<QuotedRow>(({ quotes: [best] }) => moneyText(best?.totalPriceCents, best?.currency)),
    },
    { name: 'quotes.0.carrierName', header: 'CARRIER', elastic: true },
    {
      name: 'quotes.0.dropoffEta',
      header: 'DROPOFF',
      cell: cell<QuotedRow>(({ quotes: [best] }, style) => whenText(best?.dropoffEta, style)),
    },
    { name: 'quotes.0.quoteId', header: 'QUOTE', givesWay: true },
    { name: 'noQuoteReason', header: 'REASON', narrow: false },
    {
      name: 'error',
      elastic: true,
      cell: cell<QuotedRow>(({ error, noQuoteReason }, style) =>
        error === null
          ? // On a wide terminal, the reason has a column.
            style.columns < 100
            ? plainValue(noQuoteReason)
            : ''
          : `${plainText(error.code)}: ${plainText(error.message)}`,
      ),
    },
  ],
}

/** `12 quoted for $118.20 at the cheapest, 1 without a quote, 2 failed. Nothing was dispatched.` */
export function quotedSentence(
  { quoted, none, failed }: Readonly<Record<QuotedRow['outcome'], number>>,
  sums: ReadonlyMap<string, number>,
): string {
  const amount = [...sums].map(([currency, cents]) => moneyText(cents, currency)).join(' + ')
  const parts = [
    quoted === 0 ? '' : `${quoted} quoted for ${amount} at the cheapest`,
    none === 0 ? '' : `${none} without a quote`,
    failed === 0 ? '' : `${failed} failed`,
  ].filter(Boolean)
  return `${parts.length === 0 ? 'No rows' : parts.join(', ')}. Nothing was dispatched.`
}
