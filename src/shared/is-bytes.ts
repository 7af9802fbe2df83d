/** Whether a value is a `Uint8Array`, also one of another realm, as in a test environment such as jsdom. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && (value as Partial<Uint8Array>)[Symbol.toStringTag] === 'Uint8Array'
}
