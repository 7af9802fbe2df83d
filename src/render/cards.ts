import { isRecord } from '../shared/json.js'
import { JsonNumber } from '../shared/json-number.js'
import { commandLines, isCommand, pad, plainText, plainValue, textWidth, wrap } from './plain-text.js'
import { paint, type Style } from './style.js'
import type { View } from './view.js'

/** Any value as labelled lines, nested objects by dotted paths: for responses that have no view of their own. */
export const answerView: View<unknown> = {
  id: (row) => plainValue((isRecord(row) ? (row.id ?? row.secret) : undefined) ?? row),
  columns: [],
  card: (answer, style) => {
    const lines = labelledLines(answer, '')
    return lines.length === 1 && lines[0]?.[0] === '' ? lines[0][1] : card('', lines, style).replace(/^\n/, '')
  },
}

function isPlain(value: unknown): value is null | undefined | string | number | boolean | JsonNumber {
  return typeof value !== 'object' || value === null || value instanceof JsonNumber
}

function labelledLines(value: unknown, path: string): [label: string, text: string][] {
  if (isPlain(value)) return [[path, value === null ? 'none' : plainValue(value)]]
  if (Array.isArray(value)) {
    if (value.length === 0) return [[path, 'none']]
    if (value.every(isPlain)) return [[path, value.map(plainValue).join(', ')]]
    return value.flatMap((member, index) => labelledLines(member, `${path}[${index}]`))
  }
  return Object.entries(value).flatMap(([name, member]) =>
    labelledLines(member, path === '' ? plainText(name) : `${path}.${plainText(name)}`),
  )
}

/** A line of a card: its label and text. Lines without text are omitted; `whole` is for lines to copy, never wrapped. */
export type CardLine = readonly [label: string, text: string | null | undefined, whole?: 'whole']

/** A card: a title, labelled lines whose texts are aligned and wrapped, then sections. */
export function card(
  title: string,
  lines: readonly CardLine[],
  style: Style,
  sections: readonly string[] = [],
): string {
  const shown = lines.filter(([, text]) => text !== undefined && text !== null && text !== '')
  const widest = Math.max(0, ...shown.map(([label]) => textWidth(label)))
  const body = shown.map(([label, value, whole]) => {
    const text = value ?? ''
    if (style.accessible) return `${label}: ${text}`
    const room = Math.max(20, style.columns - widest - 4)
    const lines = whole === undefined ? wrap(text, room) : text.split('\n')
    if (lines.some((line) => textWidth(line) > room)) {
      // Beside its label the terminal would break it inside a word.
      const most = style.columns - 4
      const below = whole === undefined ? wrap(text, most) : lines.flatMap((line) => commandLines(line, most))
      if (below.every((line) => textWidth(line) <= most))
        return [`  ${paint(style, 'dim', label.trimEnd())}`, ...below].join('\n    ')
    }
    return `  ${paint(style, 'dim', pad(label, widest))}  ${lines.join(`\n${' '.repeat(widest + 4)}`)}`
  })
  const head = textWidth(title) <= style.columns ? title : wrap(title, style.columns).join('\n')
  return [[head, ...body].join('\n'), ...sections.filter((section) => section !== '')].join('\n\n')
}

/** A section of a card: a heading and its lines, indented. */
export function section(heading: string, lines: readonly string[], style: Style): string {
  if (lines.length === 0) return ''
  const indent = style.accessible ? '' : '  '
  return [
    paint(style, 'bold', heading),
    ...lines.flatMap((line) => fitting(line, style)).map((line) => indent + line),
  ].join('\n')
}

/** Wraps a line that is too long for the terminal, with a hanging indent; not a command, which people copy. */
function fitting(line: string, style: Style): string[] {
  const room = style.columns - 2
  if (style.accessible || textWidth(line) <= room || isCommand(line)) return [line]
  const margin = /^ */.exec(line)?.[0] ?? ''
  const [first = '', ...rest] = wrap(line.trimStart(), room - margin.length - 2)
  return [margin + first, ...rest.map((text) => `${margin}  ${text}`)]
}
