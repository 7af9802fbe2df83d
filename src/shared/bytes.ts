/** Bytes by Node's buffers; the build for other platforms takes `bytes.web.ts` instead. */

/** Pieces in one. */
export function concatBytes(pieces: readonly Uint8Array[]): Buffer {
  return Buffer.concat(pieces)
}

/** The UTF-8 of a text. Short ones share memory, which costs less than a buffer for each. */
export function utf8Bytes(text: string): Buffer {
  return Buffer.from(text)
}
