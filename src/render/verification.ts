import type { Delivery, ProofOfDelivery } from '../contract/index.js'
import { isRecord } from '../shared/json.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { idOf, type View } from './view.js'
import { known, momentText } from './words.js'

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

/** The checks at the dropoff, each with its origin: requested, added by cargo or policy, or suppressed by the destination. */
export function verificationLines(resolved: Delivery['resolvedVerification'], style: Style): string[] {
  if (resolved == null) return []
  const causes = (resolved.derived ?? []).filter(namesMechanism)
  const because = (source: unknown) =>
    source == null ? '' : ` (${paint(style, 'yellow', 'added')} by ${plainValue(source)})`
  const asked = Object.entries(resolved.dropoff ?? {}).map(([mechanism, wish]) => {
    const { level, minimumAge } = (wish ?? {}) as { level?: unknown; minimumAge?: unknown }
    const cause = causes.find((candidate) => candidate.mechanism === mechanism)
    return `${nameOf(mechanism)}${levelText(level)}${ageText(minimumAge)}${because(cause?.source)}`
  })
  const derived = (resolved.derived ?? []).flatMap((entry) => {
    if (!namesMechanism(entry)) return [`${paint(style, 'yellow', 'added')} ${plainValue(entry)}`]
    const { mechanism, level, source, minimumAge } = entry
    if (Object.hasOwn(resolved.dropoff ?? {}, mechanism)) return []
    return [`${nameOf(mechanism)}${levelText(level)}${ageText(minimumAge)}${because(source)}`]
  })
  const suppressed = (resolved.suppressed ?? []).map((entry) => {
    const name = paint(style, 'red', 'suppressed')
    if (!namesMechanism(entry)) return `${name} ${plainValue(entry)}`
    const { mechanism, reason, substitutedBy } = entry
    const instead = substitutedBy == null ? '' : `; ${nameOf(substitutedBy)} instead`
    return `${name} ${nameOf(mechanism)}${reason == null ? '' : ` (${plainValue(reason)})`}${instead}`
  })
  return [...asked, ...derived, ...suppressed]
}

/** Whether an entry is of the form that is known; the contract defines none, and any other is shown as it came. */
function namesMechanism<Entry>(entry: Entry): entry is Entry & { mechanism: string } & Record<string, unknown> {
  return isRecord(entry) && typeof entry.mechanism === 'string'
}

function levelText(level: unknown): string {
  return level == null ? '' : `: ${plainValue(level)}`
}

function ageText(minimumAge: unknown): string {
  return minimumAge == null ? '' : `, at least ${plainValue(minimumAge)} years old`
}

/** A proof on two lines: what and when, then its complete URL if somebody serves it, so that a terminal can open it. */
export function proofLines({ type, stage, capturedAt, url }: ProofOfDelivery, style: Style): string[] {
  const what = `${plainText(type)}${stage == null ? '' : ` at ${plainValue(stage)}`}`
  const head = [what, momentText(capturedAt, style)].filter(Boolean).join(', ')
  return url == null || style.unservedPages ? [head] : [head, `  ${paint(style, 'underline', plainText(url))}`]
}

/** The proofs of a delivery. */
export const proofList: View<ProofOfDelivery[]> = {
  id: idOf('url'),
  shows: ['getDelivery'],
  timed: true,
  empty: 'No proof yet; it is added on delivery.',
  columns: [{ name: 'type' }, { name: 'stage' }, { name: 'capturedAt' }, { name: 'url' }],
  rows: (proofs) => proofs,
  card: (proofs, style) => proofs.flatMap((proof) => proofLines(proof, style)).join('\n'),
}
