import { csvRecord, keptText } from '../../shared/csv-text.js'
import { isRecord } from '../../shared/json.js'
import { trimmed } from '../../shared/texts.js'
import type { CsvRecord } from './csv-line.js'
import { CsvReader } from './csv-records.js'
import { IdRows } from './json-rows.js'
import { type ByteSource, rejectionNames } from './row-source.js'
import { knownSource, openText, parserOf, type RowOptions } from './rows.js'

/** The line of a rejected row, and the reason. */
export interface Rejection {
  line: number | undefined
  reason: string
  /** The reference of the order, by which the rows of its items are known. */
  reference?: string | null | undefined
}

/** Options of reading an input again, and the lines on which its rows begin. */
type RejectedOptions = RowOptions & {
  /** The lines of all rows, by which a line is told from another line of a row. */
  lines: ReadonlySet<number>
  /** The line of the first row, if it is known. */
  firstRecord?: number | undefined
}

/**
 * The rejected rows of an input in the input's format, with two more columns for line and reason: a CSV keeps its columns
 * and separator, other formats become NDJSON. The two columns are ignored when the result is used as an input.
 *
 * @param open opens the input from its beginning
 */
export async function* rejectedLines(
  open: () => ByteSource,
  rejections: ReadonlyMap<number, Rejection>,
  options: RejectedOptions,
): AsyncGenerator<string, void, undefined> {
  const known = await knownSource(open(), options)
  if (known.isWorkbook) {
    yield* rejectedSheet(known.source, rejections, options)
    return
  }
  const detected = await openText(known.source, options)
  if (detected === undefined) return
  const isMapped = detected.format === 'ids' && (await isMappedSheet(detected.pieces, rejections))
  // Telling ids from a sheet has read the pieces.
  const { format, pieces } = detected.format === 'ids' ? ((await openText(open(), options)) ?? detected) : detected
  if (isMapped || format === 'csv') {
    yield* rejectedCsv(pieces, rejections, options)
    return
  }
  const parser = parserOf(format, options)
  const linesOf = (rows: ReturnType<typeof parser.push>) =>
    rows.flatMap((row) => {
      const rejection = rejections.get(row.row)
      if (rejection === undefined || !('value' in row) || !isRecord(row.value)) return []
      return [
        JSON.stringify({ ...row.value, [rejectionNames[0]]: rejection.line, [rejectionNames[1]]: rejection.reason }),
      ]
    })
  for await (const piece of pieces) yield* linesOf(parser.push(piece))
  yield* linesOf(parser.end())
}

/**
 * Whether an input that was detected as a list of ids is a CSV whose columns were mapped: it has none of ours by which to
 * detect it. In a list of ids, row 3 is the third line that is not blank; in a CSV it comes later, after the header.
 */
async function isMappedSheet(
  pieces: AsyncIterable<string>,
  rejections: ReadonlyMap<number, Rejection>,
): Promise<boolean> {
  for await (const { row, line } of idRows(pieces)) {
    const rejection = rejections.get(row)
    if (rejection !== undefined) return rejection.line !== undefined && rejection.line !== line
  }
  return false
}

async function* idRows(pieces: AsyncIterable<string>) {
  const ids = new IdRows()
  for await (const piece of pieces) yield* ids.push(piece)
  yield* ids.end()
}

async function* rejectedCsv(
  pieces: AsyncIterable<string>,
  rejections: ReadonlyMap<number, Rejection>,
  options: RejectedOptions,
): AsyncGenerator<string, void, undefined> {
  const { firstRecord, skipLines } = options
  const reader = new CsvReader({ firstRecord, skipLines })
  const lineOf = rejectedRecords(rejections, options, () => reader.separator)
  for await (const piece of pieces) yield* reader.push(piece).flatMap(lineOf)
  yield* reader.end().flatMap(lineOf)
}

/** The rejected rows of a workbook as CSV: its cells are texts by then, with the zeros and times that it shows. */
async function* rejectedSheet(
  source: ByteSource,
  rejections: ReadonlyMap<number, Rejection>,
  options: RejectedOptions,
): AsyncGenerator<string, void, undefined> {
  const { firstRecord, skipLines, what = 'The input', sheet, hiddenRows } = options
  const { sheetRecords } = await import('./workbook/sheet-rows.js')
  const records = await sheetRecords(
    source,
    what,
    { firstRecord, skipLines },
    { sheet, hiddenRows: hiddenRows ?? 'read' },
  )
  const lineOf = rejectedRecords(rejections, options, () => ',')
  yield* records.flatMap((record) => lineOf({ ...record, cells: withFaults(record) }))
}

/** The cells of a record; those without a value hold one that is refused until it is repaired. */
function withFaults({ cells, faults = new Map() }: CsvRecord): string[] {
  const made = [...cells]
  for (const at of faults.keys()) {
    while (made.length <= at) made.push('')
    made[at] = '#VALUE!'
  }
  return made
}

/** Gives the lines of records that are rejected, with the header first. */
function rejectedRecords(
  rejections: ReadonlyMap<number, Rejection>,
  { lines }: RejectedOptions,
  separatorOf: () => string,
): (record: CsvRecord) => string[] {
  const byLine = new Map([...rejections.values()].map((rejection) => [rejection.line, rejection]))
  let kept: number[] | undefined
  let current: Rejection | undefined
  const write = (cells: readonly string[]) => csvRecord(cells, separatorOf())
  return ({ cells, line, raw }: CsvRecord): string[] => {
    if (kept === undefined) {
      kept = [...cells.keys()].filter((at) => !(rejectionNames as readonly string[]).includes(trimmed(cells[at] ?? '')))
      return [write([...kept.map((at) => cells[at] ?? ''), ...rejectionNames])]
    }
    const own = byLine.get(line)
    const isItem = own === undefined && !lines.has(line) && hasCell(cells, current?.reference)
    current = isItem ? current : own
    if (current === undefined) return []
    const added = [String(current.line ?? ''), current.reason]
    // As it is written: which cells it has is what has to be repaired.
    if (raw !== undefined) return [[raw, write(added)].join(separatorOf())]
    return [write([...kept.map((at) => keptText(cells[at] ?? '')), ...added])]
  }
}

function hasCell(cells: readonly string[], reference: string | null | undefined): boolean {
  return typeof reference === 'string' && cells.some((cell) => trimmed(cell) === trimmed(reference))
}
