import { createReadStream, type Stats, statSync } from 'node:fs'
import { type InputRow, type Rows, readRows } from '../client/index.js'
import { DeliveryCreate, UsageError } from '../contract/index.js'
import { parseJson } from './input-text.js'
import { withoutForbidden } from './paths.js'

/** What an order file turned out to hold. */
export type OrderFile = { kind: 'single'; order: Record<string, unknown> } | { kind: 'run'; rows: Rows }

/** An input of at most this size is looked at whole, to tell one order from many. */
const wholeLimit = 1_048_576

/**
 * Opens a file or standard input (`-`): one JSON object is a single order; a JSON array, NDJSON or CSV with dotted column
 * names is a run, read as it goes. Throws `UsageError` that says why it cannot be read.
 */
export async function openOrders(name: string): Promise<OrderFile> {
  const what = name === '-' ? 'Standard input' : name
  const stats = name === '-' ? undefined : fileStats(name)
  const source: AsyncIterable<Uint8Array> = name === '-' ? standardInput() : createReadStream(name)
  const pieces = source[Symbol.asyncIterator]()
  const begun: Uint8Array[] = []
  let size = 0
  let isWhole = false
  while (size <= wholeLimit && !isWhole) {
    const piece = await pieces.next()
    isWhole = piece.done === true
    if (piece.done !== true) begun.push(piece.value)
    size += piece.done === true ? 0 : piece.value.byteLength
  }
  const text = isWhole ? decode(Buffer.concat(begun), what) : undefined
  const order = text === undefined ? undefined : singleOrder(text, what)
  if (order !== undefined) return { kind: 'single', order }
  return { kind: 'run', rows: readRows(rejoined(begun, pieces), { schema: DeliveryCreate, bytesTotal: stats?.size }) }
}

function fileStats(name: string): Stats {
  try {
    const stats = statSync(name)
    if (!stats.isDirectory()) return stats
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new UsageError(`--file ${name} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}.`, {
      cause,
    })
  }
  throw new UsageError(`--file ${name} cannot be read: it is a folder.`)
}

function standardInput(): AsyncIterable<Uint8Array> {
  if (process.stdin.isTTY === true)
    throw new UsageError('--file - reads standard input, and nothing is piped into it.', {
      hint: 'Pipe something in, or name a file.',
    })
  return process.stdin as AsyncIterable<Uint8Array>
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new UsageError(`${what} is not UTF-8 text.`, { cause })
  }
}

/** The one order of a text; `undefined` where it holds rows. Throws `UsageError` for what is neither. */
function singleOrder(text: string, what: string): Record<string, unknown> | undefined {
  const trimmed = text.trim()
  if (trimmed === '') throw new UsageError(`${what} is empty.`)
  if (trimmed.startsWith('[')) return undefined
  if (!trimmed.startsWith('{')) {
    const [header = ''] = trimmed.split('\n', 1)
    if (/(?:^|[,;\t"])[A-Za-z]+(?:\.[A-Za-z]+)+(?:$|[,;\t"\r])/.test(header) || header.includes('clientOrderReference'))
      return undefined
    throw new UsageError(`${what} is neither JSON nor CSV with column names such as dropoff.contactName.`)
  }
  if (isJson(trimmed.split('\n', 1)[0] ?? '') && !isJson(trimmed)) return undefined
  return withoutForbidden(parseJson(trimmed, what)) as Record<string, unknown>
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // goes on over the next lines, or is no JSON at all
  }
}

async function* rejoined(begun: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* begun
  for (let piece = await rest.next(); piece.done !== true; piece = await rest.next()) yield piece.value
}

/** The same rows, each one changed; a change that throws `UsageError` becomes the row's problem. */
export function changedRows(rows: Rows, change: (value: unknown) => unknown): Rows {
  return {
    reading: rows.reading,
    async *[Symbol.asyncIterator](): AsyncGenerator<InputRow> {
      for await (const row of rows) {
        if (!('value' in row)) yield row
        else yield changed(row.row, row.value, change)
      }
    },
  }
}

function changed(row: number, value: unknown, change: (value: unknown) => unknown): InputRow {
  try {
    return { row, value: change(value) }
  } catch (error) {
    if (error instanceof UsageError) return { row, problem: error.message }
    throw error
  }
}
