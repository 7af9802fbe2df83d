import type { Delivery } from '../contract/index.js'
import { known } from './known-word.js'
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
  return known(words, String(mechanism)) ?? plainValue(mechanism)
}

/** What is checked at the dropoff and why: requested, added by cargo or policy, or suppressed by the destination. */
export function verificationLines(resolved: Delivery['resolvedVerification'], style: Style): string[] {
  if (resolved == null) return []
  const causes = resolved.derived ?? []
  const because = (source: unknown) =>
    source == null ? '' : ` (${paint(style, 'yellow', 'added')} by ${plainValue(source)})`
  const asked = Object.entries(resolved.dropoff ?? {}).map(([mechanism, wish]) => {
    const { level, minimumAge } = (wish ?? {}) as { level?: unknown; minimumAge?: unknown }
    const cause = causes.find((candidate) => candidate.mechanism === mechanism)
    return `${nameOf(mechanism)}: ${plainValue(level)}${ageText(minimumAge)}${because(cause?.source)}`
  })
  const derived = causes
    .filter(({ mechanism }) => !Object.hasOwn(resolved.dropoff ?? {}, String(mechanism)))
    .map(
      ({ mechanism, level, source, ...rest }) =>
        `${nameOf(mechanism)}: ${plainValue(level)}${ageText(rest.minimumAge)}${because(source)}`,
    )
  const suppressed = (resolved.suppressed ?? []).map(({ mechanism, reason, substitutedBy }) => {
    const instead = substitutedBy == null ? '' : `; ${nameOf(substitutedBy)} instead`
    return `${paint(style, 'red', 'suppressed')} ${nameOf(mechanism)}${reason === undefined ? '' : ` (${plainText(reason)})`}${instead}`
  })
  return [...asked, ...derived, ...suppressed]
}

function ageText(minimumAge: unknown): string {
  return minimumAge === undefined ? '' : `, at least ${plainValue(minimumAge)} years old`
}
