import type { DatabasePages } from './pages.js'

export type ColumnValue = number | string | Buffer | null

const tableLeaf = 0x0d
const leafHeaderBytes = 8
const databaseHeaderBytes = 100

/** A row as it lies in a page. */
export interface FoundRow {
  rowid: number
  columns: ColumnValue[]
}

/** No row is larger, whatever a damaged length says. */
const payloadMaxBytes = 134_217_728

/**
 * The rows of a page, if it is a leaf of a table. A row that cannot be decoded is left out; columns that are cut off are
 * `null`.
 *
 * @param isWanted looks at how many columns a row has, before the rest of it is fetched from its overflow pages
 */
export function rowsOfPage(pages: DatabasePages, number: number, isWanted: (columns: number) => boolean): FoundRow[] {
  const found = pages.read(number)
  if (found === undefined) return []
  const page = Buffer.from(found)
  const start = number === 1 ? databaseHeaderBytes : 0
  if (page[start] !== tableLeaf) return []
  const count = page.readUInt16BE(start + 3)
  const rows: FoundRow[] = []
  for (let index = 0; index < count; index++) {
    const pointerAt = start + leafHeaderBytes + 2 * index
    if (pointerAt + 2 > page.length) break
    try {
      const row = rowAt(pages, page, page.readUInt16BE(pointerAt), isWanted)
      if (row !== undefined) rows.push(row)
    } catch (error) {
      // Damaged lengths lead outside of the page.
      if (!(error instanceof RangeError)) throw error
    }
  }
  return rows
}

function rowAt(
  pages: DatabasePages,
  page: Buffer,
  at: number,
  isWanted: (columns: number) => boolean,
): FoundRow | undefined {
  const [payloadBytes, afterLength] = varint(page, at)
  const [rowid, payloadAt] = varint(page, afterLength)
  if (payloadBytes > payloadMaxBytes) return undefined
  const localBytes = localBytesOf(payloadBytes, pages.usableBytes)
  const local = page.subarray(payloadAt, payloadAt + localBytes)
  const types = serialTypes(local)
  if (types === undefined || !isWanted(types.length)) return undefined
  const isLocal = localBytes === payloadBytes
  const overflow = () => payloadOf(pages, local, page.readUInt32BE(payloadAt + localBytes), payloadBytes)
  return { rowid, columns: columnsOf(isLocal ? local : overflow(), types) }
}

/** How much of a payload lies in its leaf page. */
function localBytesOf(payloadBytes: number, usableBytes: number): number {
  const max = usableBytes - 35
  if (payloadBytes <= max) return payloadBytes
  const min = Math.floor(((usableBytes - 12) * 32) / 255) - 23
  const rest = min + ((payloadBytes - min) % (usableBytes - 4))
  return rest <= max ? rest : min
}

/** The payload as far as the chain of overflow pages holds. */
function payloadOf(pages: DatabasePages, local: Buffer, firstPage: number, payloadBytes: number): Buffer {
  const pieces = [local]
  let left = payloadBytes - local.length
  for (let next = firstPage; left > 0; ) {
    const page = next === 0 ? undefined : pages.read(next)
    if (page === undefined) break
    const piece = Buffer.from(page.subarray(4, Math.min(pages.usableBytes, 4 + left)))
    pieces.push(piece)
    left -= piece.length
    next = page.readUInt32BE(0)
  }
  return Buffer.concat(pieces)
}

/** The types of a record's columns; `undefined` if its header is not whole. */
function serialTypes(payload: Buffer): number[] | undefined {
  const [headerBytes, first] = varint(payload, 0)
  if (headerBytes > payload.length) return undefined
  const types: number[] = []
  for (let at = first; at < headerBytes; ) {
    const [type, after] = varint(payload, at)
    types.push(type)
    at = after
  }
  return types
}

function columnsOf(payload: Buffer, types: number[]): ColumnValue[] {
  let [at] = varint(payload, 0)
  return types.map((type) => {
    const start = at
    at += bytesOf(type)
    return at > payload.length ? null : valueAt(payload, start, type)
  })
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8]

function bytesOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2)
  return integerBytes[type] ?? (type === 7 ? 8 : 0)
}

function valueAt(payload: Buffer, at: number, type: number): ColumnValue {
  if (type >= 12) {
    const bytes = payload.subarray(at, at + bytesOf(type))
    return type % 2 === 0 ? Buffer.from(bytes) : bytes.toString('utf8')
  }
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type === 7) return payload.readDoubleBE(at)
  return type === 6 ? Number(payload.readBigInt64BE(at)) : payload.readIntBE(at, bytesOf(type))
}

/** A number of 1 to 9 bytes, and where it ends. */
function varint(bytes: Buffer, at: number): [value: number, after: number] {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + index + 1]
  }
  return [value * 256 + bytes.readUInt8(at + 8), at + 9]
}
