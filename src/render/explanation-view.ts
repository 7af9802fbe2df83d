import { card, section } from './cards.js'
import { pad, wrap } from './plain-text.js'
import { paint, type Style } from './style.js'
import { idOf, type View } from './view.js'

/** The explanation of a code. */
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
      ['Next', next.join('\n'), 'whole'],
    ],
    style,
  )
}

/** A meaning that has less room than this next to its code is placed below it. */
const narrowest = 28

/** The codes of one kind, each with its complete meaning. */
function kindSection(kind: string, words: readonly Explained[], style: Style): string {
  const widest = Math.max(...words.map(({ code }) => code.length))
  const lines = words.flatMap(({ code, meaning }) => {
    if (style.accessible) return [`${code}: ${meaning}`]
    const room = style.columns - widest - 4
    if (room < narrowest) return [code, ...wrap(meaning, style.columns - 4).map((line) => `  ${line}`)]
    const [first = '', ...rest] = wrap(meaning, room)
    return [`${pad(code, widest)}  ${first}`, ...rest.map((line) => ' '.repeat(widest + 2) + line)]
  })
  return section(kind, lines, style)
}

function kindSections(words: readonly Explained[], style: Style): string {
  const kinds = [...new Set(words.map(({ kind }) => kind))]
  return kinds
    .map((kind) =>
      kindSection(
        kind,
        words.filter((word) => word.kind === kind),
        style,
      ),
    )
    .join('\n\n')
}

/** One code. */
export const explanationView: View<Explained> = { id: idOf('code'), columns, card: explanationCard }

/** All codes by kind; `cards` draws those with the same spelling. */
export const explanationsView: View<readonly Explained[]> & {
  cards: (shown: readonly Explained[], style: Style) => string
} = {
  id: idOf('code'),
  columns,
  rows: (words) => words,
  card: kindSections,
  cards: (shown, style) => shown.map((explained) => explanationCard(explained, style)).join('\n\n'),
}
