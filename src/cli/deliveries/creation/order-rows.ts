import type { Rows } from '../../../bulk/index.js'
import { type KeyOptions, TextRows } from '../../../bulk/internal.js'
import { changedRows } from '../row-input.js'
import { changedRow } from '../rows/changed-row.js'
import { orderOfRow, type RowCompletion } from '../rows/order-row.js'
import type { QuotedOrder } from './thread/messages.js'

/** From this length a thread is quicker than it takes to start: about a thousand orders. */
const threadBytes = 1_048_576

/** The orders of a file, completed by flags. A row that cannot be sent says why. */
export interface OrderRows {
  rows: Rows
  close(): Promise<void>
}

/** How the rows of a file become orders. */
export interface OrderReading {
  completion: RowCompletion
  keys: KeyOptions
  /**
   * Whether the orders are sent: then those of a long file are read and given their keys in a thread, so that the
   * requests have this one for themselves.
   */
  isSending: boolean
  /** Told of each order that is sent with a quote of its own. */
  onQuoted(order: QuotedOrder): void
}

export async function orderRows(rows: Rows, reading: OrderReading): Promise<OrderRows> {
  const { completion, keys, isSending, onQuoted } = reading
  const read = (value: unknown) => {
    const order = orderOfRow(value, completion)
    if (isSending && isQuoted(order)) onQuoted(order)
    return order
  }
  const isLong = rows instanceof TextRows && rows.format !== 'csv' && (rows.reading.bytesTotal ?? 0) >= threadBytes
  if (!isSending || !isLong) return { rows: changedRows(rows, read), close: async () => undefined }
  const { ThreadedRows } = await import('./thread/order-thread.js')
  const threaded = new ThreadedRows(rows, { completion, keys }, { readHere: (row) => changedRow(row, read), onQuoted })
  return { rows: threaded, close: () => threaded.close() }
}

function isQuoted(order: Record<string, unknown>): order is Record<string, unknown> & QuotedOrder {
  return typeof order.clientOrderReference === 'string' && typeof order.quoteId === 'string'
}
