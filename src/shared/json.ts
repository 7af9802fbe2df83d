/** An object that is no list: what most of the contract's values are. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const utf8 = new TextDecoder()

/** The value of a JSON text, in a wrapper that tells `null` from a text that is not JSON; bytes are read as UTF-8. */
export function tryParseJson(text: string | Uint8Array): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(typeof text === 'string' ? text : utf8.decode(text)) }
  } catch {
    return undefined // the caller says what it is instead
  }
}
