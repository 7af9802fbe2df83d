import type { z } from 'zod'
import { type InputRow, type Rows, readRows } from '../../../bulk/index.js'
import { type FieldError, UsageError } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { ownRows, withProfileField } from '../../input/account-rows.js'
import { isReadOnce } from '../../input/source.js'
import type { ProcessContext } from '../../process/context.js'
import type { KeptValues } from '../complete-order.js'
import type { FileReading } from '../order-file.js'
import { UnreadForms } from './sheet-forms.js'
import { wholeRows, wholeSource } from './whole-sheet.js'

/**
 * The words that were typed, or the name of a file, `-` for standard input.
 *
 * @throws UsageError for both, and for none
 */
export function typedOrFile(words: readonly string[], file: string | undefined): string | readonly string[] {
  const isPiped = words.includes('-')
  const source = isPiped ? '-' : file
  if (source !== undefined && words.some((one) => one !== '-'))
    throw new UsageError(`Use either delivery ids or ${isPiped ? '-' : '--file'}, not both.`)
  if (isPiped && file !== undefined && file !== '-') throw new UsageError('Use either --file or -, not both.')
  if (source === undefined && words.length === 0)
    throw new UsageError('No delivery given.', {
      hint: 'Pass its id or reference; for many, --file FILE or - for standard input.',
    })
  return source ?? words
}

/**
 * Rows about existing deliveries: those of a file or standard input (`-`), or the words that were typed.
 *
 * @param given the name of a file, or the words
 */
export function givenRows(context: ProcessContext, given: string | readonly string[], schema: z.ZodType) {
  const isFile = typeof given === 'string'
  const readOnce = isFile && isReadOnce(context, given)
  return {
    /** The file's name, or `-` for what can be read only once and for words. */
    source: isFile && !readOnce ? given : '-',
    isReadOnce: readOnce,
    /** Whether words were typed. */
    isNamed: !isFile,
    open: (reading: FileReading): Rows => (isFile ? openRows(context, given, schema, reading) : wordRows(given)),
  }
}

/**
 * Rows about existing deliveries, from a file or standard input (`-`): delivery ids, one per line, or JSON, NDJSON or
 * CSV with a `deliveryId` in each row, which `schema` describes. Throws `UsageError` if the input cannot be opened.
 */
function openRows(context: ProcessContext, name: string, schema: z.ZodType, reading: FileReading): Rows {
  const source = wholeSource(context, name, reading)
  const { bytes, bytesTotal, what } = source
  const options = { schema: withProfileField(schema), allowIds: true, bytesTotal, what, ...reading }
  const rows = wholeRows(readRows(bytes, options), source, options)
  return ownRows(rows, context.accountRows, reading.isAccountChosen)
}

/** How rows are changed before they are sent. */
interface RowChange {
  /** A change that throws `UsageError` becomes the row's problem. */
  change: (value: unknown) => unknown
  /** What else would be refused in a row that cannot be sent as it is. */
  check?: (value: unknown) => readonly FieldError[]
}

/**
 * The rows with a change applied to each.
 *
 * @param kept what the change counts, from the beginning whenever the rows are read
 */
export function changedRows(rows: Rows, how: RowChange, kept?: KeptValues): Rows {
  return {
    reading: rows.reading,
    async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
      kept?.begin()
      for await (const batch of rows) yield batch.map((row) => changedRow(row, how))
    },
  }
}

/** A row with a change applied, or all that is wrong with it: who repairs a sheet wants to do it once. */
function changedRow(row: InputRow, how: RowChange): InputRow {
  const given = 'value' in row ? row.value : row.given
  if (given === undefined) return row
  try {
    const value = how.change(given)
    return 'value' in row ? { ...row, value } : withRefusals(row, value, how)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const read = error instanceof UnreadForms ? { given: error.order, unread: error.unread } : {}
    if ('problem' in row) {
      const problem = `${row.problem}; ${error.message}`
      const unread = [...(row.unread ?? []), ...(read.unread ?? [])]
      return withRefusals({ ...row, problem, hint: row.hint ?? error.hint, unread }, read.given ?? given, how)
    }
    const reference = row.namedBy ?? valueAt(row.value, 'clientOrderReference')
    const failed = {
      row: row.row,
      line: row.line,
      ...(row.sheet === undefined ? {} : { sheet: row.sheet }),
      problem: error.message,
      hint: error.hint,
      clientOrderReference: typeof reference === 'string' ? reference : undefined,
      ...read,
    }
    return read.given === undefined ? failed : withRefusals(failed, read.given, how)
  }
}

/** A row with a problem, and what else would be refused in it once that is mended. */
function withRefusals(row: Extract<InputRow, { problem: string }>, given: unknown, { check }: RowChange): InputRow {
  const unread = row.unread ?? []
  const isOfUnread = (field: string) =>
    unread.some((path) => path === field || path.startsWith(`${field}.`) || field.startsWith(`${path}.`))
  // A window of which one end cannot be read is not judged.
  const isOpen = (field: string) =>
    isOfUnread(field) || (field.startsWith('timeWindows') && unread.some((path) => path.startsWith('timeWindows')))
  const others = (check?.(given) ?? []).filter(({ field }) => !isOpen(field))
  const problem = [row.problem, ...others.map(({ field, message }) => `${field}: ${message}`)].join('; ')
  return { ...row, problem, given }
}

/** Rows of words that were typed: ids and references. */
function wordRows(words: readonly string[]): Rows {
  return {
    reading: { bytesRead: 0, bytesTotal: undefined, rowsRead: words.length },
    async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
      yield words.map((deliveryId, index) => ({ row: index + 1, value: { deliveryId }, isWord: true }))
    },
  }
}
