import { openInput, type RowOptions, type Rows } from '../../bulk/index.js'
import { DeliveryCreate, UsageError, withoutUnsafeKeys, withUnits } from '../../contract/index.js'
import { parseJson } from '../input/read.js'
import { inputSource } from '../input/source.js'
import type { ProcessContext } from '../process/context.js'
import type { SheetForms } from './rows/us-forms.js'

/** How a file is read: its columns, its encoding, and how its phones and times are written. */
export type FileReading = Pick<
  RowOptions,
  | 'columns'
  | 'onLeftOut'
  | 'onLeftOutLine'
  | 'onItemRows'
  | 'hasItemRows'
  | 'skipLines'
  | 'encoding'
  | 'units'
  | 'asRows'
> & {
  forms?: SheetForms | undefined
}

/** The content of an order file. */
export type OrderFile = { kind: 'single'; order: Record<string, unknown> } | { kind: 'run'; rows: Rows }

/** An empty pipe is an empty result of the command before it. */
const noRows: Rows = {
  reading: { bytesRead: 0, bytesTotal: 0, rowsRead: 0 },
  async *[Symbol.asyncIterator]() {},
}

/**
 * Opens a file or standard input (`-`): a JSON object is a single order; a JSON array, NDJSON or CSV with dotted column
 * names is a run, read row by row. Throws `UsageError` that says why it cannot be read.
 */
export async function openOrders(context: ProcessContext, name: string, reading: FileReading = {}): Promise<OrderFile> {
  const { bytes, bytesTotal, what } = inputSource(context, name)
  const input = await openInput(bytes, { schema: DeliveryCreate, bytesTotal, what, ...reading })
  if (input.kind === 'empty') {
    if (name === '-') return { kind: 'run', rows: noRows }
    throw new UsageError(`${what} is empty.`)
  }
  if (input.kind === 'rows') return { kind: 'run', rows: input.rows }
  const order = withoutUnsafeKeys(parseJson(input.text, what, 'input')) as Record<string, unknown>
  return { kind: 'single', order: withUnits(order, reading.units ?? new Map()) }
}
