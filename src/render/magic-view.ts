import { plainText } from './plain-text.js'
import { paint, type Style } from './style.js'
import { pad, textWidth, wrap } from './text-width.js'
import { idOf, type View } from './view.js'

/** One magic value: where it is written, what is written, and what it brings about. */
export interface MagicRow {
  channel: string
  value: string
  effect: string
}

/** Values longer than this have their effect on a line of its own. */
const widestValue = 40

/** The magic values, in groups by where they are written. */
export const magicView: View<MagicRow[]> = {
  id: idOf('value'),
  columns: [{ name: 'channel' }, { name: 'value' }, { name: 'effect', elastic: true }],
  empty: 'No magic value is like that: dlv sandbox magic lists them all.',
  card(rows, style) {
    const channels = [...new Set(rows.map(({ channel }) => channel))]
    return channels
      .map((channel) => {
        const group = rows.filter((row) => row.channel === channel)
        return [paint(style, 'bold', plainText(channel)), ...groupLines(group, style)].join('\n')
      })
      .join('\n\n')
  },
}

function groupLines(rows: readonly MagicRow[], style: Style): string[] {
  if (style.accessible) return rows.map(({ value, effect }) => `${plainText(value)}: ${plainText(effect)}`)
  const widths = rows.map(({ value }) => textWidth(value)).filter((width) => width <= widestValue)
  const width = Math.max(8, ...widths)
  return rows.flatMap(({ value, effect }) => {
    const [first = '', ...rest] = wrap(plainText(effect), Math.max(20, style.columns - width - 4))
    const under = ' '.repeat(width + 4)
    const lines = rest.map((line) => under + line)
    const shown = plainText(value)
    if (textWidth(shown) > width) return [`  ${shown}`, under + first, ...lines]
    return [`  ${pad(shown, width)}  ${first}`, ...lines]
  })
}
