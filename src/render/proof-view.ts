import type { ProofOfDelivery } from '../contract/index.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { momentText } from './times.js'
import { idOf, type View } from './view.js'

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
