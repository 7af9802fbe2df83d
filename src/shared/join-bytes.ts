import { concatBytes } from './bytes.js'

/** Pieces of a body in one: most bodies come in one piece, which is not copied. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return only !== undefined && pieces.length === 1 ? only : concatBytes(pieces)
}
