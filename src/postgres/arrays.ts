/**
 * Arrays as parameters in PostgreSQL's binary format. As text, each value is escaped here and parsed by the character there,
 * and bytes are written in hexadecimal.
 */

/** The ids of the types in `pg_type`. */
const types = { bytea: 17, bigint: 20, text: 25, timestamptz: 1184 } as const

/** A `bytea[]`. */
export function byteaArray(values: readonly Uint8Array[]): Buffer {
  return binaryArray(
    types.bytea,
    values,
    (value) => value.length,
    (bytes, value, at) => bytes.set(value, at),
  )
}

/** A `text[]`; `undefined` is null. */
export function textArray(values: readonly (string | undefined)[]): Buffer {
  return binaryArray(types.text, values, Buffer.byteLength, (bytes, value, at) => bytes.write(value, at))
}

/** A `bigint[]` of whole numbers. */
export function bigintArray(values: readonly number[]): Buffer {
  return binaryArray(
    types.bigint,
    values,
    () => 8,
    (bytes, value, at) => bytes.writeBigInt64BE(BigInt(value), at),
  )
}

/** PostgreSQL counts microseconds from the year 2000. */
const epochMs = Date.UTC(2000, 0, 1)

/** A `timestamptz[]` of milliseconds since the Unix epoch. */
export function timeArray(valuesMs: readonly number[]): Buffer {
  return binaryArray(
    types.timestamptz,
    valuesMs,
    () => 8,
    (bytes, ms, at) => bytes.writeBigInt64BE(BigInt(Math.trunc(ms) - epochMs) * 1_000n, at),
  )
}

/** One dimension: whether there are nulls, the type, the number of elements, the first subscript, each with its length. */
function binaryArray<Value>(
  type: number,
  values: readonly (Value | undefined)[],
  lengthOf: (value: Value) => number,
  write: (bytes: Buffer, value: Value, at: number) => void,
): Buffer {
  const lengths = values.map((value) => (value === undefined ? nullLength : lengthOf(value)))
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), headBytes))
  const head = [1, lengths.includes(nullLength) ? 1 : 0, type, values.length, 1]
  for (const [place, word] of head.entries()) bytes.writeInt32BE(word, place * 4)
  let at = headBytes
  for (const [place, value] of values.entries()) {
    const length = lengths[place] ?? nullLength
    bytes.writeInt32BE(length, at)
    at += 4
    if (value === undefined) continue
    write(bytes, value, at)
    at += length
  }
  return bytes
}

const headBytes = 20
const nullLength = -1
