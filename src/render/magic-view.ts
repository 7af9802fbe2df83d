import { plainText } from './plain-text.js'
import { paint, type Style } from './style.js'
import { pad, textWidth, wrap } from './text-width.js'
import { idOf, type View } from './view.js'

/** A magic value: its channel, such as a header or a phone number, the value and its effect. */
export interface MagicRow {
  channel: string
  value: string
  effect: string
}

/** Longer values have their effect on a separate line. */
const widestValue = 40

/** The magic values, grouped by channel. */
export const magicView: View<MagicRow[]> = {
  id: idOf('value'),
  rows: (rows) => rows,
  columns: [{ name: 'channel' }, { name: 'value' }, { name: 'effect', elastic: true }],
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
