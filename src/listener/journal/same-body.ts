import { canonicalJson } from '../../shared/canonical-json.js'
import { tryParseJson } from '../../shared/json.js'

/**
 * Whether an event that came again is the same. The service may print an event in its list otherwise than in its webhook:
 * a pulled one is compared by what it means.
 */
export function isSameBody(first: Uint8Array, second: Uint8Array, byMeaning: boolean): boolean {
  if (Buffer.compare(first, second) === 0) return true
  return byMeaning && meaningOf(first) === meaningOf(second)
}

function meaningOf(body: Uint8Array): string {
  const text = Buffer.from(body).toString()
  const json = tryParseJson(text)
  return json === undefined ? text : canonicalJson(json.value)
}
