import { isRecord } from '../../shared/json.js'
import { CsvReader } from './csv-records.js'
import { type ByteSource, rejectionNames } from './row-source.js'
import { openText, parserOf, type RowOptions } from './rows.js'

/** Where a rejected row stands, and why it was rejected. */
export interface Rejection {
  line: number | undefined
  reason: string
}

/**
 * The rejected rows of an input, in its own form, with two more columns for line and reason: a CSV keeps its columns and
 * its separator, everything else becomes one JSON object a line. When the lines are read as rows, the two are left out.
 */
export async function* rejectedLines(
  source: ByteSource,
  rejections: ReadonlyMap<number, Rejection>,
  options: RowOptions,
): AsyncGenerator<string, void, undefined> {
  const text = await openText(source, options)
  if (text === undefined) return
  if (text.format === 'csv') {
    yield* rejectedCsv(text.pieces, rejections)
    return
  }
  const parser = parserOf(text.format, options)
  const linesOf = (rows: ReturnType<typeof parser.push>) =>
    rows.flatMap((row) => {
      const rejection = rejections.get(row.row)
      if (rejection === undefined || !('value' in row) || !isRecord(row.value)) return []
      return [
        JSON.stringify({ ...row.value, [rejectionNames[0]]: rejection.line, [rejectionNames[1]]: rejection.reason }),
      ]
    })
  for await (const piece of text.pieces) yield* linesOf(parser.push(piece))
  yield* linesOf(parser.end())
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
