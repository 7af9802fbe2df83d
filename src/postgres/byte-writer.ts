/** Bytes that are put one behind the other. */
export interface ByteWriter {
  /** Makes room for at most so many; returns the buffer to write into and where. */
  room(bytes: number): { buffer: Buffer; at: number }
  /** So many of them were written. */
  wrote(bytes: number): void
  append(bytes: Uint8Array): void
  length(): number
  /** What was written so far, not copied: valid until the next write. */
  taken(): Buffer
  /** Keeps so many bytes of the beginning; the room for the rest is used again. */
  cut(bytes: number): void
}

export function byteWriter(capacity: number): ByteWriter {
  let buffer = Buffer.allocUnsafe(capacity)
  let at = 0
  const room = (bytes: number) => {
    if (at + bytes > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(at + bytes, buffer.length * 2))
      buffer.copy(larger, 0, 0, at)
      buffer = larger
    }
    return { buffer, at }
  }
  return {
    room,
    wrote(bytes) {
      at += bytes
    },
    append(bytes) {
      room(bytes.length).buffer.set(bytes, at)
      at += bytes.length
    },
    length: () => at,
    taken: () => buffer.subarray(0, at),
    cut(bytes) {
      at = bytes
    },
  }
}
