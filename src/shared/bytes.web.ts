/** Pieces in one, without Node. */
export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

const encoder = new TextEncoder()

/** The UTF-8 of a text. */
export function utf8Bytes(text: string): Uint8Array {
  return encoder.encode(text)
}
