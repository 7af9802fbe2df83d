import type { Rows } from '../../../bulk/index.js'
import { type KeyOptions, TextRows } from '../../../bulk/internal.js'
import { changedRows } from '../row-input.js'
import { changedRow } from '../rows/changed-row.js'
import { admitRow, completedOrder, type RowCompletion } from '../rows/order-row.js'

/** From this length a thread is quicker than it takes to start: about a thousand orders. */
const threadBytes = 1_048_576

/** The orders of a file, completed by flags. A row that cannot be sent says why. */
export interface OrderRows {
  rows: Rows
  close(): Promise<void>
}

/**
 * @param isSending whether the orders are sent: then those of a long file are read and given their keys in a thread, so
 *   that the requests have this one for themselves
 * @param onQuoteId told of each order that has a quote of its own
 */
export async function orderRows(
  rows: Rows,
  completion: RowCompletion,
  keys: KeyOptions,
  isSending: boolean,
  onQuoteId: (clientOrderReference: string, quoteId: string) => void,
): Promise<OrderRows> {
  const admitted = (value: unknown) => {
    const order = completedOrder(value, completion)
    admitRow(order)
    const { clientOrderReference, quoteId } = order
    if (typeof clientOrderReference === 'string' && typeof quoteId === 'string')
      onQuoteId(clientOrderReference, quoteId)
    return order
  }
  const isLong = rows instanceof TextRows && rows.format !== 'csv' && (rows.reading.bytesTotal ?? 0) >= threadBytes
  if (!isSending || !isLong) return { rows: changedRows(rows, admitted), close: async () => undefined }
  const { ThreadedRows } = await import('./thread/order-thread.js')
  const threaded = new ThreadedRows(rows, { completion, keys }, (row) => changedRow(row, admitted), onQuoteId)
  return { rows: threaded, close: () => threaded.close() }
}
