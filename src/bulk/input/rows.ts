import type { z } from 'zod'
import { type FieldUnits, readRequest, UsageError, withUnits } from '../../contract/index.js'
import { textAt } from '../../shared/json.js'
import { referenceFault } from '../../shared/sheet-faults.js'
import { trimmed } from '../../shared/texts.js'
import type { ColumnNames } from './column-names.js'
import { CsvRows } from './csv-rows.js'
import { FormatDetector, type InputFormat } from './format.js'
import { IdRows, JsonTableRows, JsonValueRows, NdjsonRows } from './json-rows.js'
import {
  type ByteSource,
  decodeText,
  type InputRow,
  isArchive,
  lookAhead,
  mayBeForeign,
  type ReadingState,
  type RowParser,
  refuseManyMembers,
} from './row-source.js'
import type { LeftOutOrder, LeftOutValues, TellingCell } from './telling-columns.js'

/** Rows with the state of their reading; those that were read together come together. */
export interface Rows extends AsyncIterable<readonly InputRow[]> {
  /** The progress of reading the input. */
  readonly reading: ReadingState
}

/** Options of reading an input. */
export interface RowOptions {
  /** Fields of a row: by it CSV columns are checked and their cells read. */
  schema: z.ZodType
  /** Whether lines that are neither JSON nor CSV are delivery ids. */
  allowIds?: boolean | undefined
  /** The length of the input in bytes, if it is known. */
  bytesTotal?: number | undefined
  /** The columns whose names are not those of fields, of a CSV or of JSON objects: the name in the header, and the field. */
  columns?: ColumnNames | undefined
  /**
   * Called with the columns that are left out: with `columns`, those that are neither a field nor mapped; without them,
   * those of an answer or of results that no request takes, which are refused if this is missing.
   */
  onLeftOut?: ((columns: readonly string[]) => void) | undefined
  /** Columns with the values whose orders are left out, such as `Status` with `cancelled`; `*` is any value. */
  leaveOut?: LeftOutValues | undefined
  /** Called at the end with the orders that were left out. */
  onLeftOutOrders?: ((orders: readonly LeftOutOrder[]) => void) | undefined
  /** Called with each cell of a column that is not read and says of its order, which is read all the same, that it is ended, when it is wanted, or what a driver may need. */
  onTellingCell?: ((cell: TellingCell) => void) | undefined
  /** The units of fields whose texts are measured in others than the contract's, such as dollars. */
  units?: FieldUnits | undefined
  /** The number of lines before the header of a CSV. Default: the first line with known columns is searched for. */
  skipLines?: number | undefined
  /** Whether rows of a CSV with the reference of the row above are items of its order. */
  hasItemRows?: boolean | undefined
  /** Called at the end with the number of orders that several rows of a CSV were. */
  onItemRows?: ((orders: number) => void) | undefined
  /** Called with each line of a CSV that is a total or a footer and left out; without it, such a line is a row. */
  onLeftOutLine?: ((line: number, text: string, isHeader?: boolean) => void) | undefined
  /** The encoding of the input: a name of the Encoding Standard, such as `windows-1252`. Default `utf-8`, or UTF-16 by its mark. */
  encoding?: string | undefined
  /** Whether a single JSON object is one row as well, for a run that keeps results. Default false. */
  asRows?: boolean | undefined
  /** The sheet of a workbook. Default: the first that is shown and has rows. */
  sheet?: string | undefined
  /** What becomes of rows that a workbook hides or filters out. Default: a workbook with such rows is refused. */
  hiddenRows?: 'read' | 'skip' | undefined
  /** Whether `sheet` and `hiddenRows` hold for workbooks alone; without it, a text with them is refused. */
  isSheetKept?: boolean | undefined
  /** Called with what has to be known of a workbook, such as which sheet is read; with `true` for a warning. */
  onSheet?: ((text: string, isWarning: boolean) => void) | undefined
  /** The name of the input in errors, such as its file. Default `The input`. */
  what?: string | undefined
}

/** An input whose form is known: the text of a single JSON object, rows, or nothing. */
export type OpenedInput =
  | {
      /** One JSON object. */
      kind: 'single'
      /** Its text. */
      text: string
    }
  | {
      /** Many rows. */
      kind: 'rows'
      /** The rows, read as they are asked for. */
      rows: Rows
    }
  | {
      /** Nothing. */
      kind: 'empty'
    }

/**
 * Reads an input until its form is known: one JSON object and nothing else is `single`; an array, objects one after the
 * other or one a line, and CSV with a header are rows, read as they are asked for in flat memory. A byte order mark and
 * CRLF do not matter.
 *
 * @throws UsageError if the input cannot be understood, or its first value is larger than 16 MB
 */
export function openInput(source: ByteSource, options: RowOptions): Promise<OpenedInput> {
  return open(source, options, newReading(options))
}

/**
 * Reads rows as they are asked for; a single object is one row.
 *
 * @throws UsageError while reading, if the input as a whole cannot be understood; a single bad row is reported in its
 *   place
 */
export function readRows(source: ByteSource, options: RowOptions): Rows {
  const reading = newReading(options)
  return {
    reading,
    async *[Symbol.asyncIterator]() {
      const input = await open(source, options, reading)
      if (input.kind === 'rows') yield* input.rows
      else if (input.kind === 'single') yield* parsed(new JsonValueRows(), [input.text], reading, options)
    },
  }
}

function newReading({ bytesTotal }: RowOptions): ReadingState {
  return { bytesRead: 0, bytesTotal, rowsRead: 0 }
}

async function open(given: ByteSource, options: RowOptions, reading: ReadingState): Promise<OpenedInput> {
  const { source, isWorkbook } = await knownSource(given, options)
  if (isWorkbook) {
    const { sheetRows } = await import('./workbook/sheet-rows.js')
    const batches = await sheetRows(source, options, reading)
    return { kind: 'rows', rows: { reading, [Symbol.asyncIterator]: () => checked(batches, reading, options, true) } }
  }
  const text = await openText(source, options, reading)
  if (text === undefined) return { kind: 'empty' }
  const { format, begun, pieces } = text
  if (format === 'object') {
    const whole = begun.join('')
    if (options.asRows !== true && options.columns === undefined) return { kind: 'single', text: whole }
    const one = () => parsed(parserOf('object', options), [whole], reading, options)
    return { kind: 'rows', rows: { reading, [Symbol.asyncIterator]: one } }
  }
  const parser = parserOf(format, options)
  return {
    kind: 'rows',
    rows: { reading, [Symbol.asyncIterator]: () => parsed(parser, pieces, reading, options) },
  }
}

/**
 * An input that is text or a workbook.
 *
 * @throws UsageError for a file of another program, by its name
 */
export async function knownSource(
  given: ByteSource,
  {
    what = 'The input',
    sheet,
    hiddenRows,
    isSheetKept,
  }: Pick<RowOptions, 'what' | 'sheet' | 'hiddenRows' | 'isSheetKept'>,
): Promise<{ source: ByteSource; isWorkbook: boolean }> {
  const { head, bytes } = await lookAhead(given)
  const isWorkbook = isArchive(head)
  if (!isWorkbook && mayBeForeign(head)) {
    const { foreignFile } = await import('./workbook/file-kind.js')
    const foreign = foreignFile(head, what)
    if (foreign !== undefined) throw foreign
  }
  if (!isWorkbook && isSheetKept !== true && (sheet !== undefined || hiddenRows !== undefined) && head.length > 0)
    throw new UsageError(`${what} is not a workbook (.xlsx, .ods), and only a workbook has sheets and hidden rows.`)
  return { source: bytes, isWorkbook }
}

/** Reads a text until its form is known; `undefined` if it is empty. */
export async function openText(
  source: ByteSource,
  options: RowOptions,
  reading: ReadingState = newReading(options),
): Promise<{ format: InputFormat; begun: readonly string[]; pieces: AsyncIterable<string> } | undefined> {
  const pieces = decodeText(source, reading, options)
  const what = options.what ?? 'The input'
  const detector = new FormatDetector(
    what,
    options.allowIds === true && options.columns === undefined,
    options.columns !== undefined || (options.skipLines ?? 0) > 0,
  )
  const begun: string[] = []
  let format: InputFormat | undefined
  while (format === undefined) {
    const next = await pieces.next()
    if (next.done === true) {
      format = detector.end()
      if (format === undefined) return undefined
    } else {
      begun.push(next.value)
      format = detector.push(next.value)
    }
  }
  return { format, begun, pieces: joined(begun, pieces) }
}

async function* joined(begun: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* begun
  yield* rest
}

/** The parser for a format. */
export function parserOf(format: InputFormat, options: RowOptions): RowParser {
  const { columns } = options
  const texts = [...(options.units?.keys() ?? [])]
  if (format === 'csv') return new CsvRows({ ...options, texts })
  if (format === 'ids') return new IdRows()
  const objects = format === 'ndjson' ? new NdjsonRows() : new JsonValueRows()
  return columns === undefined ? objects : new JsonTableRows(objects, { ...options, columns, texts })
}

/** The rows of a text; those of one piece come together. */
async function* parsed(
  parser: RowParser,
  pieces: Iterable<string> | AsyncIterable<string>,
  reading: ReadingState,
  options: RowOptions,
): AsyncGenerator<readonly InputRow[], void, undefined> {
  const isTable = parser instanceof CsvRows || parser instanceof JsonTableRows
  const noted = (rows: InputRow[]) => {
    if (isTable) reading.fields ??= parser.fields
    return rows
  }
  const batches = async function* () {
    for await (const piece of pieces) yield noted(parser.push(piece))
    yield noted(parser.end())
  }
  yield* checked(batches(), reading, options, isTable)
}

/**
 * Rows as the schema wants them, counted; those of one piece come together.
 *
 * @param areCells whether the rows are those of a table
 */
async function* checked(
  batches: AsyncIterable<InputRow[]>,
  reading: ReadingState,
  options: RowOptions,
  areCells: boolean,
): AsyncGenerator<readonly InputRow[], void, undefined> {
  // Cells were read as their fields want them, one by one.
  const isRead = areCells && options.units === undefined
  for await (const batch of batches) {
    reading.rowsRead += batch.length
    if (batch.length > 0) yield isRead ? batch : batch.map((row) => readRow(row, options))
  }
}

/** A value with its amounts in the contract's units, and those that cannot be read in theirs. */
function measured(given: unknown, units: FieldUnits | undefined) {
  const faults: UsageError[] = []
  const unread: string[] = []
  let value = given
  for (const field of units ?? [])
    try {
      value = withUnits(value, new Map([field]))
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults.push(error)
      unread.push(field[0])
    }
  return { value, faults, unread }
}

const messagesOf = (faults: readonly UsageError[]) => faults.map(({ message }) => message)

/** A row with its values as the schema wants them; what cannot be read is the row's problem. */
function readRow(row: InputRow, { schema, units }: RowOptions): InputRow {
  if (!('value' in row)) {
    if (units === undefined || row.given === undefined) return row
    const { value, faults, unread } = measured(row.given, units)
    const problem = [row.problem, ...messagesOf(faults)].join('; ')
    return { ...row, problem, given: value, unread: [...(row.unread ?? []), ...unread] }
  }
  try {
    refuseManyMembers(row.value, `Row ${row.row}`)
    const reference = textAt(row.value, 'clientOrderReference')
    const rounded = reference === undefined ? undefined : referenceFault(reference)
    if (reference !== undefined && rounded !== undefined)
      throw new UsageError(`clientOrderReference: "${reference.slice(0, 80)}" ${rounded.message}`, {
        hint: rounded.hint,
      })
    const { value: given, faults, unread } = measured(row.value, units)
    if (faults.length > 0) return { ...failed(row, messagesOf(faults).join('; '), faults[0]?.hint), given, unread }
    const value = readRequest(schema, given as typeof row.value)
    return value === row.value ? row : { ...row, value }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return failed(row, error.message, error.hint)
  }
}

function failed({ row, line, sheet, value }: Extract<InputRow, { value: unknown }>, problem: string, hint?: string) {
  const reference = textAt(value, 'clientOrderReference')
  return {
    row,
    line,
    ...(sheet === undefined ? {} : { sheet }),
    problem,
    hint,
    clientOrderReference: reference === undefined ? undefined : trimmed(reference),
  }
}
