import { openInput, type RowOptions, type Rows } from '../../bulk/index.js'
import { refuseManyMembers } from '../../bulk/internal.js'
import { DeliveryCreate, UsageError, withUnits } from '../../contract/index.js'
import { withoutUnsafeKeys } from '../../shared/unsafe-keys.js'
import type { Doubts } from '../bulk/doubts.js'
import { ownRows, refuseProfile, withProfileField } from '../input/account-rows.js'
import { parseJson } from '../input/read.js'
import type { ProcessContext } from '../process/context.js'
import type { OrderFlags } from './order-flags.js'
import type { SheetForms } from './sheets/sheet-forms.js'
import { wholeRows, wholeSource } from './sheets/whole-sheet.js'

/** How a file is read: its columns, its encoding, and how its phones and times are written. */
export type FileReading = Pick<
  RowOptions,
  | 'columns'
  | 'onLeftOut'
  | 'onLeftOutLine'
  | 'leaveOut'
  | 'onLeftOutOrders'
  | 'onTellingCell'
  | 'onItemRows'
  | 'hasItemRows'
  | 'skipLines'
  | 'encoding'
  | 'units'
  | 'asRows'
  | 'sheet'
  | 'hiddenRows'
  | 'isSheetKept'
  | 'onSheet'
> & {
  forms?: SheetForms | undefined
  /** Takes what a dry run doubts. */
  doubts?: Doubts | undefined
  /** Whether an account is chosen for rows that name none, in a sheet whose rows may. */
  isAccountChosen?: boolean | undefined
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
async function openOrders(context: ProcessContext, name: string, reading: FileReading = {}): Promise<OrderFile> {
  const source = wholeSource(context, name, reading)
  const { bytes, bytesTotal, what } = source
  const options = { schema: withProfileField(DeliveryCreate), bytesTotal, what, ...reading }
  const input = await openInput(bytes, options)
  if (input.kind !== 'rows') await source.close()
  if (input.kind === 'empty') {
    if (name === '-') return { kind: 'run', rows: noRows }
    throw new UsageError(`${what} is empty.`)
  }
  if (input.kind === 'rows') {
    const rows = wholeRows(input.rows, source, options)
    return { kind: 'run', rows: ownRows(rows, context.accountRows, reading.isAccountChosen) }
  }
  const parsed = parseJson(input.text, what, 'input')
  refuseManyMembers(parsed, what)
  const order = withoutUnsafeKeys(parsed) as Record<string, unknown>
  refuseProfile(order, what)
  return { kind: 'single', order: withUnits(order, reading.units ?? new Map()) }
}

/** The order or orders of `--file`; without it, an empty order for the flags. */
export async function readOrders(
  context: ProcessContext,
  flags: Partial<Pick<OrderFlags, 'file'>>,
  reading?: FileReading,
): Promise<OrderFile> {
  return flags.file === undefined ? { kind: 'single', order: {} } : openOrders(context, flags.file, reading)
}

/** The order of `--file`. Throws `UsageError` for a file with several. */
export async function readSingleOrder(
  context: ProcessContext,
  flags: Partial<Pick<OrderFlags, 'file'>>,
  reading?: FileReading,
): Promise<Record<string, unknown>> {
  const file = await readOrders(context, flags, reading)
  if (file.kind === 'single') return file.order
  throw new UsageError(`${flags.file} contains several orders, but this command takes one.`, {
    hint: 'Use dlv deliveries create for several orders.',
  })
}
