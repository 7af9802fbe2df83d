import { card } from './card.js'
import { plainText } from './plain-text.js'
import { paint } from './style.js'
import { clockText, spanText } from './times.js'
import { idOf, type View } from './view.js'

/** The verdict on a webhook that verifies. */
interface Verified {
  id: string
  timestampSeconds: number
  secretIndex: number
  skewSeconds: number
  content: string
  event?: { eventType: string } | undefined
  warnings: readonly string[]
}

/** A webhook that verifies; `secret` is the name of the secret that verified it. */
export function verdictView(secret: string, secretCount: number): View<Verified> {
  return {
    id: idOf('id'),
    columns: [{ name: 'id' }, { name: 'timestampSeconds' }, { name: 'content' }],
    card: (verdict, style) =>
      card(
        `${paint(style, 'green', 'Verified')}  ${plainText(verdict.id)}`,
        [
          ['Event', verdict.event === undefined ? verdict.content : plainText(verdict.event.eventType)],
          ['Secret', `${plainText(secret)}${secretCount > 1 ? ` (${verdict.secretIndex + 1} of ${secretCount})` : ''}`],
          [
            'Signed',
            `${clockText(verdict.timestampSeconds * 1_000, style)}, clocks differ by ${spanText(verdict.skewSeconds * 1_000)}`,
          ],
          ['Warning', verdict.warnings.map(plainText).join('\n')],
        ],
        style,
      ),
  }
}
