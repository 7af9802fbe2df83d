import type { InputRow } from '../../../../bulk/index.js'
import { type InputFormat, type KeyOptions, type ParserPosition, PreparedOrder } from '../../../../bulk/internal.js'
import { UsageError } from '../../../../contract/index.js'
import type { RowCompletion } from '../../rows/order-row.js'

/** What the thread is started with. */
export interface ThreadSetup {
  format: InputFormat
  completion: RowCompletion
  keys: KeyOptions
}

/** Where the thread takes over, which comes first; then the pieces of the text, each of which is answered; and its end. */
export type ToThread = { from: ParserPosition } | { piece: string } | 'end'

/** A row that cannot be sent. */
export type RowProblem = Extract<InputRow, { problem: string }>

/** The rows of one piece: an object for each would take longer to hand over than lists of texts. */
export interface PackedRows {
  numbers: number[]
  references: string[]
  keys: string[]
  hashes: string[]
  texts: string[]
  problems: RowProblem[]
  /** The orders that have a quote of their own, by their place in the lists. */
  quoteIds: [at: number, quoteId: string][]
}

/** An order that names a quote of its own. */
export interface QuotedOrder {
  clientOrderReference: string
  quoteId: string
}

/** Why the text as a whole cannot be read. */
export interface TextFault {
  message: string
  hint: string | undefined
}

export type FromThread = PackedRows | { fault: TextFault } | 'ready'

/** The rows in their order. */
export function unpackRows({ numbers, references, keys, hashes, texts, problems }: PackedRows): InputRow[] {
  const rows: InputRow[] = []
  let told = 0
  const tellUntil = (row: number) => {
    for (let next = problems[told]; next !== undefined && next.row < row; next = problems[told]) {
      rows.push(next)
      told++
    }
  }
  for (const [at, row] of numbers.entries()) {
    tellUntil(row)
    const value = new PreparedOrder(references[at] ?? '', keys[at] ?? '', hashes[at] ?? '', texts[at] ?? '')
    rows.push({ row, value })
  }
  tellUntil(Number.POSITIVE_INFINITY)
  return rows
}

export function faultOf(error: UsageError): TextFault {
  return { message: error.message, hint: error.hint }
}

export function errorOf({ message, hint }: TextFault): UsageError {
  return new UsageError(message, { hint })
}
