import type { Rows } from '../../../bulk/index.js'
import { changedRows } from '../row-input.js'
import { orderOfRow, type RowCompletion } from '../rows/order-row.js'

/** An order that names a quote of its own. */
type QuotedOrder = Record<string, unknown> & { clientOrderReference: string; quoteId: string }

/**
 * The orders of a file, completed by flags. A row that cannot be sent says why.
 *
 * @param onQuoted told of each order that has a quote of its own
 */
export function orderRows(rows: Rows, completion: RowCompletion, onQuoted: (order: QuotedOrder) => void): Rows {
  const ordered = (value: unknown) => {
    const order = orderOfRow(value, completion)
    if (isQuoted(order)) onQuoted(order)
    return order
  }
  return changedRows(rows, ordered, completion.kept)
}

function isQuoted(order: Record<string, unknown>): order is QuotedOrder {
  return typeof order.clientOrderReference === 'string' && typeof order.quoteId === 'string'
}
