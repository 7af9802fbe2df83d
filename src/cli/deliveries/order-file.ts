import { type Rows, readRows } from '../../bulk/index.js'
import { DeliveryCreate, UsageError, withoutUnsafeKeys } from '../../contract/index.js'
import { tryParseJson } from '../../shared/json.js'
import { parseJson } from '../input/read.js'
import { inputSource } from '../input/source.js'
import type { ProcessContext } from '../process/context.js'

/** What an order file turned out to hold. */
export type OrderFile = { kind: 'single'; order: Record<string, unknown> } | { kind: 'run'; rows: Rows }

/** An input of at most this size is looked at whole, to tell one order from many. */
const wholeLimit = 1_048_576

/**
 * Opens a file or standard input (`-`): one JSON object is a single order; a JSON array, NDJSON or CSV with dotted column
 * names is a run, read as it goes. Throws `UsageError` that says why it cannot be read.
 */
export async function openOrders(context: ProcessContext, name: string): Promise<OrderFile> {
  const { bytes, bytesTotal, what } = inputSource(context, name)
  const pieces = bytes[Symbol.asyncIterator]()
  const begun: Uint8Array[] = []
  let size = 0
  let isWhole = false
  while (size <= wholeLimit && !isWhole && !holdsSeveral(begun)) {
    const piece = await pieces.next()
    isWhole = piece.done === true
    if (piece.done !== true) begun.push(piece.value)
    size += piece.done === true ? 0 : piece.value.byteLength
  }
  const text = isWhole ? decode(Buffer.concat(begun), what) : undefined
  const order = text === undefined ? undefined : singleOrder(text, what)
  if (order !== undefined) return { kind: 'single', order }
  return { kind: 'run', rows: readRows(rejoined(begun, pieces), { schema: DeliveryCreate, bytesTotal }) }
}

/** Whether a beginning is surely that of several orders: what a pipe has sent so far need not wait for the rest. */
function holdsSeveral(begun: readonly Uint8Array[]): boolean {
  const text = new TextDecoder().decode(Buffer.concat(begun)).trimStart()
  if (text.startsWith('[')) return true
  const lineEnd = text.indexOf('\n')
  if (lineEnd === -1) return false
  const line = text.slice(0, lineEnd)
  if (!text.startsWith('{')) return isHeader(line)
  return text.slice(lineEnd).trim() !== '' && tryParseJson(line) !== undefined
}

function isHeader(line: string): boolean {
  const dotted = /(?:^|[,;\t"])[A-Za-z]+(?:\.[A-Za-z]+)+(?:$|[,;\t"\r])/
  return dotted.test(line) || line.includes('clientOrderReference')
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
    if (isHeader(header)) return undefined
    throw new UsageError(
      `${what} is neither JSON nor CSV with a header such as clientOrderReference,dropoff.contactName.`,
    )
  }
  if (tryParseJson(trimmed.split('\n', 1)[0] ?? '') !== undefined && tryParseJson(trimmed) === undefined)
    return undefined
  return withoutUnsafeKeys(parseJson(trimmed, what)) as Record<string, unknown>
}

async function* rejoined(begun: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* begun
  for (let piece = await rest.next(); piece.done !== true; piece = await rest.next()) yield piece.value
}
