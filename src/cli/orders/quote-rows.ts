import { type InputRow, type Rows, rowErrorOf } from '../../bulk/index.js'
import type { Client } from '../../client/index.js'
import { ApiError, type InputOf, type QuoteResponse, UsageError } from '../../contract/index.js'
import type { QuotedRow } from '../../render/quote-view.js'
import { isRecord } from '../../shared/json.js'

/** The number of orders that are quoted at a time; the pacer keeps to the allowance. */
const quotesAtOnce = 16

/** Turns an order into a quote request. Throws `UsageError` for an order that cannot be sent. */
export type ToQuoteRequest = (order: unknown, row: InputRow) => Record<string, unknown>

/**
 * The quotes for many orders, in their order.
 *
 * @throws the error of a request that fails for every row, such as a rejected key or a service that cannot be reached
 */
export async function* quotedRows(rows: Rows, toRequest: ToQuoteRequest, client: Client): AsyncGenerator<QuotedRow[]> {
  for await (const batch of rows)
    for (let at = 0; at < batch.length; at += quotesAtOnce)
      yield await Promise.all(batch.slice(at, at + quotesAtOnce).map((row) => quotedRow(row, toRequest, client)))
}

async function quotedRow(row: InputRow, toRequest: ToQuoteRequest, client: Client): Promise<QuotedRow> {
  let clientOrderReference: string | null = 'problem' in row ? (row.clientOrderReference ?? null) : null
  try {
    if ('problem' in row) throw new UsageError(row.problem, { hint: row.hint })
    const body = toRequest(row.value, row)
    if (typeof body.clientOrderReference === 'string') clientOrderReference = body.clientOrderReference
    const { quotes, ...more } = await client.createQuote({ body } as unknown as InputOf<'createQuote'>)
    const outcome = quotes.length === 0 ? 'none' : 'quoted'
    return { ...blank(row.row, clientOrderReference), ...withoutNulls(more), outcome, quotes: byPrice(quotes) }
  } catch (error) {
    if (!isAboutRow(error)) throw error
    const given = 'value' in row && isRecord(row.value) ? row.value.clientOrderReference : undefined
    const reference = clientOrderReference ?? (typeof given === 'string' ? given : null)
    return { ...blank(row.row, reference), error: rowErrorOf(error) }
  }
}

function blank(row: number, clientOrderReference: string | null): QuotedRow {
  return { row, clientOrderReference, outcome: 'failed', quotes: [], expiresAt: null, noQuoteReason: null, error: null }
}

function withoutNulls(more: Omit<QuoteResponse, 'quotes'>): Partial<QuotedRow> {
  return Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null && value !== undefined))
}

function byPrice(quotes: QuoteResponse['quotes']): QuoteResponse['quotes'] {
  return quotes.toSorted((one, other) => one.totalPriceCents - other.totalPriceCents)
}

/** Whether the next row may succeed. */
function isAboutRow(error: unknown): boolean {
  if (error instanceof UsageError) return true
  return error instanceof ApiError && [400, 404, 409, 422].includes(error.status)
}
