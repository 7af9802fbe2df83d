import type { Delivery } from '../contract/index.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'

const words: Readonly<Record<string, string>> = {
  photo: 'photo',
  signature: 'signature',
  identity: 'identity check',
  pinCode: 'PIN code',
  barcode: 'barcode scan',
}

function nameOf(mechanism: unknown): string {
  return words[String(mechanism)] ?? plainValue(mechanism)
}

/** What will be checked at the door and why: asked for, added by cargo or policy, refused by the destination. */
export function verificationLines(resolved: Delivery['resolvedVerification'], style: Style): string[] {
  if (resolved == null) return []
  const asked = Object.entries(resolved.dropoff ?? {}).map(([mechanism, wish]) => {
    const { level, minimumAge } = (wish ?? {}) as { level?: unknown; minimumAge?: unknown }
    const age = minimumAge === undefined ? '' : `, at least ${plainValue(minimumAge)} years old`
    return `${nameOf(mechanism)}: ${plainValue(level)}${age}`
  })
  const derived = (resolved.derived ?? []).map(({ mechanism, level, source, ...rest }) => {
    const age = rest.minimumAge === undefined ? '' : `, at least ${plainValue(rest.minimumAge)} years old`
    return `${paint(style, 'yellow', 'added')} ${nameOf(mechanism)}: ${plainValue(level)}${age}${source === undefined ? '' : ` (because of ${plainText(source)})`}`
  })
  const suppressed = (resolved.suppressed ?? []).map(({ mechanism, reason, substitutedBy }) => {
    const instead = substitutedBy == null ? '' : `; ${nameOf(substitutedBy)} instead`
    return `${paint(style, 'red', 'refused')} ${nameOf(mechanism)}${reason === undefined ? '' : ` (${plainText(reason)})`}${instead}`
  })
  return [...asked, ...derived, ...suppressed]
}
