/** Decodes the percent-encoded octets of a URL's part; `undefined` if a `%` encodes nothing or the octets are not UTF-8. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
