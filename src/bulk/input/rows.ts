import type { z } from 'zod'
import { tryParseJson } from '../../shared/json.js'
import { csvRows } from './csv-rows.js'
import { jsonValueRows, ndjsonRows } from './json-rows.js'
import { type ByteSource, decodeText, type InputRow, type ReadingState, splitLines } from './row-source.js'

/** The forms of a bulk input. `ids`: one delivery id a line, its first word. */
export type RowFormat = 'json' | 'ndjson' | 'csv' | 'ids'

/** Rows with the state of their reading. */
export interface Rows extends AsyncIterable<InputRow> {
  readonly reading: ReadingState
}

export interface RowOptions {
  /** Fields of a row: by it CSV columns are checked and their cells read. */
  schema: z.ZodType
  /** Default: told by how the input begins. */
  format?: RowFormat | undefined
  /** Whether lines that are neither JSON nor CSV are delivery ids. */
  allowIds?: boolean | undefined
  bytesTotal?: number | undefined
}

/**
 * Reads rows as they are asked for, in flat memory: one JSON object, an array, objects one after the other or one a
 * line, or CSV with a header; a byte order mark and CRLF do not matter.
 *
 * @throws UsageError while reading, where the input as a whole cannot be understood; a single bad row is reported in
 *   its place
 */
export function readRows(source: ByteSource, options: RowOptions): Rows {
  const reading: ReadingState = { bytesRead: 0, bytesTotal: options.bytesTotal }
  return {
    reading,
    async *[Symbol.asyncIterator]() {
      const pieces = decodeText(source, reading)
      const begun = await beginning(pieces)
      const text = rejoin(begun, pieces)
      const format = options.format ?? detect(begun, options.allowIds === true)
      if (format === 'ndjson') yield* ndjsonRows(text)
      else if (format === 'json') yield* jsonValueRows(text)
      else if (format === 'ids') yield* idRows(text)
      else yield* csvRows(text, options.schema)
    },
  }
}

/** Reads on until the first line is whole; a line as long as this is none. */
const firstLineLimit = 1_048_576

async function beginning(pieces: AsyncGenerator<string, void, undefined>): Promise<string> {
  let text = ''
  while (!text.trimStart().includes('\n') && text.length < firstLineLimit) {
    const next = await pieces.next()
    if (next.done) break
    text += next.value
  }
  return text
}

async function* rejoin(begun: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  if (begun !== '') yield begun
  yield* rest
}

function detect(begun: string, allowIds: boolean): RowFormat {
  const [line = ''] = begun.trimStart().split('\n', 1)
  if (line.startsWith('[')) return 'json'
  if (line.startsWith('{')) return tryParseJson(line) !== undefined ? 'ndjson' : 'json'
  const isHeader = /(?:^|[,;\t"])(?:deliveryId|clientOrderReference)(?:$|[,;\t"\r])/.test(line)
  return allowIds && !isHeader ? 'ids' : 'csv'
}

async function* idRows(text: AsyncIterable<string>): AsyncGenerator<InputRow, void, undefined> {
  let row = 0
  for await (const line of splitLines(text)) {
    const [deliveryId] = line.trim().split(/\s+/, 1)
    if (deliveryId !== undefined && deliveryId !== '') yield { row: ++row, value: { deliveryId } }
  }
}
