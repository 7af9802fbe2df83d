import { isRecord } from '../../shared/json.js'
import { CsvReader } from './csv-records.js'
import { IdRows } from './line-rows.js'
import { type ByteSource, rejectionNames } from './row-source.js'
import { openText, parserOf, type RowOptions } from './rows.js'

/** The line of a rejected row, and the reason. */
export interface Rejection {
  line: number | undefined
  reason: string
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
  options: RowOptions,
): AsyncGenerator<string, void, undefined> {
  const text = await openText(open(), options)
  if (text === undefined) return
  const isSheet = text.format === 'ids' && (await hasHeader(text.pieces, rejections))
  const { format, pieces } = text.format === 'ids' ? ((await openText(open(), options)) ?? text) : text
  if (isSheet || format === 'csv') {
    yield* rejectedCsv(pieces, rejections)
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
 * Whether an input that looks like a list of ids is a CSV with mapped columns: in a list of ids, row 3 is the third
 * non-blank line; in a CSV with a header, it comes later.
 */
async function hasHeader(pieces: AsyncIterable<string>, rejections: ReadonlyMap<number, Rejection>): Promise<boolean> {
  const lines = new IdRows()
  const isLater = (rows: ReturnType<IdRows['push']>) => {
    for (const { row, line } of rows) {
      const rejection = rejections.get(row)
      if (rejection !== undefined) return rejection.line !== undefined && rejection.line !== line
    }
    return undefined
  }
  for await (const piece of pieces) {
    const found = isLater(lines.push(piece))
    if (found !== undefined) return found
  }
  return isLater(lines.end()) ?? false
}

async function* rejectedCsv(
  pieces: AsyncIterable<string>,
  rejections: ReadonlyMap<number, Rejection>,
): AsyncGenerator<string, void, undefined> {
  const reader = new CsvReader()
  let kept: number[] | undefined
  let row = 0
  const write = (cells: readonly string[]) => cells.map((cell) => quoted(cell, reader.separator)).join(reader.separator)
  const linesOf = (records: ReturnType<CsvReader['push']>) =>
    records.flatMap(({ cells }) => {
      if (kept === undefined) {
        kept = [...cells.keys()].filter(
          (at) => !(rejectionNames as readonly string[]).includes(cells[at]?.trim() ?? ''),
        )
        return [write([...kept.map((at) => cells[at] ?? ''), ...rejectionNames])]
      }
      const rejection = rejections.get(++row)
      if (rejection === undefined) return []
      const { line, reason } = rejection
      return [write([...kept.map((at) => cells[at] ?? ''), String(line ?? ''), reason])]
    })
  for await (const piece of pieces) yield* linesOf(reader.push(piece))
  yield* linesOf(reader.end())
}

function quoted(cell: string, separator: string): string {
  return /["\r\n]/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell
}
