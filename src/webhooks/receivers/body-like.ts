/** The part of a `node:http` request that reading its body needs, so that the types of receivers do not need Node. */
export interface BodyLike {
  on(event: string, listener: (piece: Uint8Array) => void): unknown
}
