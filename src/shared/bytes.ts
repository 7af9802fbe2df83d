/** Pieces in one; the build for platforms other than Node takes `bytes.web.ts` instead. */
export function concatBytes(pieces: readonly Uint8Array[]): Buffer {
  return Buffer.concat(pieces)
}
