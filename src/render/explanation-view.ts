import { card } from './card.js'
import { paint, type Style } from './style.js'
import { idOf, type View } from './view.js'

/** What is said of a word. */
interface Explained {
  readonly kind: string
  readonly code: string
  readonly meaning: string
  readonly retry: string
  readonly next: readonly string[]
}

const columns: View<Explained>['columns'] = [{ name: 'code' }, { name: 'kind' }, { name: 'meaning', elastic: true }]

function explanationCard({ kind, code, meaning, retry, next }: Explained, style: Style): string {
  return card(
    `${paint(style, 'bold', code)}  ${paint(style, 'dim', kind)}`,
    [
      ['Meaning', meaning],
      ['Retry', retry],
      ['Next', next.join('\n')],
    ],
    style,
  )
}

/** One word. */
export const explanationView: View<Explained> = { id: idOf('code'), columns, card: explanationCard }

/** Every word in a table; `cards` draws those that share one spelling. */
export const explanationsView: View<readonly Explained[]> & {
  cards: (shown: readonly Explained[], style: Style) => string
} = {
  id: idOf('code'),
  columns,
  cards: (shown, style) => shown.map((explained) => explanationCard(explained, style)).join('\n\n'),
}
