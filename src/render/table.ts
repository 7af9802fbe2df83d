import { loadedTable } from './drawing.js'
import { plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { textWidth } from './text-width.js'
import { type Column, valueAt } from './view.js'

const gap = '  '
const narrowest = 8

/** No lines, only the gap between two columns. */
const bare = {
  ...Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
      ['', '-mid', '-left', '-right'].map((end) => [`${side}${end}`, '']),
    ),
  ),
  middle: gap,
}

/** A cell for people: the column's own drawing, or the value as one safe line. */
function cellText(column: Column, row: unknown, style: Style): string {
  return column.cell?.(row, style) ?? plainValue(valueAt(row, column.name))
}

/**
 * An aligned table for a terminal: headers, two blanks between columns, elastic columns shortened and, where that is not
 * enough, the last columns left out, so that no line is wider than the terminal. With `style.accessible`, a block of
 * `name: value` lines a row instead.
 */
export function table(
  columns: readonly Column[],
  rows: readonly unknown[],
  style: Style,
  options: { header: boolean; widths?: readonly number[] },
): string {
  if (style.accessible) return labelledRows(columns, rows, style)
  const widths = options.widths ?? tableWidths(columns, rows, style)
  const shown = columns.slice(0, widths.length)
  const Table = loadedTable()
  const drawn = new Table({
    chars: bare,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    colWidths: [...widths],
    colAligns: shown.map(({ align }) => align ?? 'left'),
    truncate: '…',
  })
  if (options.header) drawn.push(headersOf(shown).map((header) => paint(style, 'dim', header)))
  for (const row of rows) drawn.push(shown.map((column) => cellText(column, row, style)))
  return drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Columns that a terminal of this width shows. */
export function visibleColumns(columns: readonly Column[], style: Style): readonly Column[] {
  return style.columns >= 100 || style.accessible ? columns : columns.filter((column) => column.narrow !== false)
}

/** The widths that a table of these rows takes, for rows that follow later; columns that have no room have none. */
export function tableWidths(columns: readonly Column[], rows: readonly unknown[], style: Style): number[] {
  const headers = headersOf(columns)
  const natural = columns.map((column, index) =>
    rows.reduce<number>(
      (widest, row) => Math.max(widest, textWidth(cellText(column, row, style))),
      textWidth(headers[index] ?? ''),
    ),
  )
  for (let count = columns.length; count > 1; count--) {
    const widths = fitted(columns.slice(0, count), natural, style.columns)
    if (widths !== undefined) return widths
  }
  return [Math.min(natural[0] ?? 0, style.columns)]
}

/** The columns' widths within so many terminal columns, the widest elastic one giving way first; `undefined` if none fit. */
function fitted(columns: readonly Column[], natural: readonly number[], available: number): number[] | undefined {
  const widths = natural.slice(0, columns.length)
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (columns.length - 1) - available
  while (excess > 0) {
    const widest = columns.reduce(
      (best, column, index) =>
        column.elastic && (widths[index] ?? 0) > Math.max(narrowest, widths[best] ?? 0) ? index : best,
      -1,
    )
    if (widest === -1) return undefined
    widths[widest] = (widths[widest] ?? 0) - 1
    excess--
  }
  return widths
}

function headersOf(columns: readonly Column[]): string[] {
  return columns.map((column) => column.header ?? column.name.toUpperCase())
}

function labelledRows(columns: readonly Column[], rows: readonly unknown[], style: Style): string {
  return rows
    .map((row) =>
      columns
        .map((column) => [column.header?.toLowerCase() ?? column.name, cellText(column, row, style)])
        .filter(([, text]) => text !== '')
        .map(([name, text]) => `${name}: ${text}`)
        .join('\n'),
    )
    .join('\n\n')
}
