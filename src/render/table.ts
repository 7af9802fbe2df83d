import { plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { pad, shorten, textWidth } from './text-width.js'
import { type Column, valueAt } from './view.js'

const gap = '  '
const narrowest = 8

/** A cell for people: the column's own drawing, or the value as one safe line. */
export function cellText(column: Column, row: unknown, style: Style): string {
  return column.cell?.(row, style) ?? plainValue(valueAt(row, column.name))
}

/**
 * An aligned table for a terminal: headers, two blanks between columns, elastic columns shortened so that no line is
 * wider than the terminal. With `style.accessible`, a block of `name: value` lines a row instead.
 */
export function table(
  columns: readonly Column[],
  rows: readonly unknown[],
  style: Style,
  options: { header: boolean; widths?: readonly number[] },
): string {
  if (style.accessible) return labelledRows(columns, rows, style)
  const cells = rows.map((row) => columns.map((column) => cellText(column, row, style)))
  const headers = headersOf(columns)
  const widths = options.widths ?? columnWidths(columns, headers, cells, style)
  const lines = cells.map((line) => tableLine(columns, line, widths))
  if (options.header)
    lines.unshift(
      tableLine(
        columns,
        headers.map((header) => paint(style, 'dim', header)),
        widths,
      ),
    )
  return lines.join('\n')
}

/** Columns that a terminal of this width shows. */
export function visibleColumns(columns: readonly Column[], style: Style): readonly Column[] {
  return style.columns >= 100 || style.accessible ? columns : columns.filter((column) => column.narrow !== false)
}

/** The widths that a table of these rows takes, for rows that follow later. */
export function tableWidths(columns: readonly Column[], rows: readonly unknown[], style: Style): number[] {
  const cells = rows.map((row) => columns.map((column) => cellText(column, row, style)))
  return columnWidths(columns, headersOf(columns), cells, style)
}

function headersOf(columns: readonly Column[]): string[] {
  return columns.map((column) => column.header ?? column.name.toUpperCase())
}

function columnWidths(columns: readonly Column[], headers: string[], cells: string[][], style: Style): number[] {
  const widths = columns.map((_, index) => {
    let widest = textWidth(headers[index] ?? '')
    for (const line of cells) widest = Math.max(widest, textWidth(line[index] ?? ''))
    return widest
  })
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (columns.length - 1) - style.columns
  while (excess > 0) {
    const widest = columns.reduce(
      (best, column, index) =>
        column.elastic && (widths[index] ?? 0) > Math.max(narrowest, widths[best] ?? 0) ? index : best,
      -1,
    )
    if (widest === -1) break
    widths[widest] = (widths[widest] ?? 0) - 1
    excess--
  }
  return widths
}

function tableLine(columns: readonly Column[], line: readonly string[], widths: readonly number[]): string {
  return columns
    .map((column, index) => {
      const width = widths[index] ?? 0
      const text = line[index] ?? ''
      return pad(textWidth(text) > width ? shorten(text, width) : text, width, column.align)
    })
    .join(gap)
    .trimEnd()
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
