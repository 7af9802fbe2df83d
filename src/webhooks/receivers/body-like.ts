/** As much of a request of `node:http` as its body needs: so the types of receivers need no Node. */
export interface BodyLike {
  on(event: string, listener: (piece: Uint8Array) => void): unknown
}
