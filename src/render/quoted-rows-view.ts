import type { Quote } from '../contract/index.js'
import { moneyText } from './money.js'
import { plainText, plainValue } from './plain-text.js'
import { paint } from './style.js'
import { whenText } from './times.js'
import { cell, type View, valueAt } from './view.js'

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
