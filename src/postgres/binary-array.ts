import { byteWriter } from './byte-writer.js'

/** One column of many rows, as a parameter that the server reads without parsing. */
export interface BinaryArray<Value> {
  /** `undefined` is NULL. */
  push(value: Value | undefined): void
  /** The value for the statement, once everything was pushed: valid until the next push. */
  parameter(): Buffer
  /** Forgets what was pushed, and keeps its room. */
  clear(): void
}

/** The numbers under which every PostgreSQL knows these types. */
const types = { text: 25, int4: 23, int8: 20, timestamptz: 1184 } as const

const lengthBytes = 4
/** UTF-8 needs no more for a unit of a JavaScript string. */
const bytesPerUnit = 3
const year2000Ms = 946_684_800_000

export function textArray(): BinaryArray<string> {
  return binaryArray(types.text, 8_192, (text, room) => {
    const { buffer, at } = room(lengthBytes + text.length * bytesPerUnit)
    const written = buffer.write(text, at + lengthBytes)
    buffer.writeInt32BE(written, at)
    return lengthBytes + written
  })
}

/** Whole numbers; of `timestamptz` milliseconds since 1970. */
export function numberArray(type: 'int4' | 'int8' | 'timestamptz'): BinaryArray<number> {
  return binaryArray(types[type], 2_048, (number, room) => {
    const { buffer, at } = room(lengthBytes + 8)
    if (type === 'int4') {
      buffer.writeInt32BE(4, at)
      buffer.writeInt32BE(number, at + lengthBytes)
      return lengthBytes + 4
    }
    const whole = type === 'int8' ? number : Math.round((number - year2000Ms) * 1_000)
    buffer.writeInt32BE(8, at)
    buffer.writeInt32BE(Math.floor(whole / 2 ** 32), at + lengthBytes)
    buffer.writeUInt32BE(whole >>> 0, at + lengthBytes + 4)
    return lengthBytes + 8
  })
}

type Room = (bytes: number) => { buffer: Buffer; at: number }

function binaryArray<Value>(
  type: number,
  capacity: number,
  write: (value: Value, room: Room) => number,
): BinaryArray<Value> {
  const writer = byteWriter(capacity)
  const headBytes = 5 * 4
  writer.room(headBytes)
  writer.wrote(headBytes)
  let count = 0
  return {
    push(value) {
      count++
      if (value !== undefined) return writer.wrote(write(value, writer.room))
      const { buffer, at } = writer.room(lengthBytes)
      buffer.writeInt32BE(-1, at)
      writer.wrote(lengthBytes)
    },
    parameter() {
      const array = writer.taken()
      // One dimension, maybe with NULLs, of that type, so long, counted from 1.
      for (const [at, field] of [1, 1, type, count, 1].entries()) array.writeInt32BE(field, at * 4)
      return array
    },
    clear() {
      count = 0
      writer.cut(headBytes)
    },
  }
}
