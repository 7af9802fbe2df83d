import { concatBytes } from './bytes.js'

/** The standard base64 of bytes, padded. */
export function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** The bytes of standard base64, padded or not. The text must be nothing else. */
export function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Whether a value is a `Uint8Array`, also one of another realm, as in a test environment such as jsdom. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && (value as Partial<Uint8Array>)[Symbol.toStringTag] === 'Uint8Array'
}

/** Pieces of a body in one: most bodies come in one piece, which is not copied. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return only !== undefined && pieces.length === 1 ? only : concatBytes(pieces)
}

/** Decodes the percent-encoded octets of a URL's part; `undefined` if a `%` encodes nothing or the octets are not UTF-8. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
