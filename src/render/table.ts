import { plainValue, textWidth, wrap } from './plain-text.js'
import { loadedTable, paint, type Style } from './style.js'
import { type Column, valueAt } from './view.js'

const gap = '  '
const narrowest = 8
/** A name that takes more of the line is cut before it costs another column than the id. */
const largestShareOfName = 0.6
/** The width to which a name is cut before the last column beside it and the id is omitted. */
const squeezedName = 12

/** No borders, only the gap between columns. */
const bare = {
  ...Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
      ['', '-mid', '-left', '-right'].map((end) => [`${side}${end}`, '']),
    ),
  ),
  middle: gap,
}

/** A cell for people: drawn by the column, or the value as one safe line. */
function cellText(column: Column, row: unknown, style: Style): string {
  return column.cell?.(row, style) ?? plainValue(valueAt(row, column.name))
}

/** The columns of a table that fit its terminal, with their widths. */
export interface TableLayout {
  readonly columns: readonly Column[]
  readonly widths: readonly number[]
}

/**
 * An aligned table for a terminal, with headers and two spaces between columns. If they do not fit, columns that
 * give way are omitted; then elastic ones are shortened and, if that is not enough, the last ones without `keep` are
 * omitted, so that no line is wider than the terminal unless the columns to keep are. With `style.accessible`, each row is
 * a block of `name: value` lines instead.
 */
export function table(
  columns: readonly Column[],
  rows: readonly unknown[],
  style: Style,
  options: { header: boolean; layout?: TableLayout },
): string {
  if (style.accessible) return labelledRows(columns, rows, style)
  const layout = options.layout ?? tableLayout(columns, rows, style)
  const shown = layout.columns
  const widths = widthsOfPage(layout, rows, style)
  const Table = loadedTable()
  const drawn = new Table({
    chars: bare,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    colWidths: widths,
    colAligns: shown.map(({ align }) => align ?? 'left'),
    truncate: '…',
  })
  if (options.header) drawn.push(shown.map((column) => paint(style, 'dim', headerOf(column))))
  const drawnCell = (column: Column, row: unknown, index: number) => {
    const text = cellText(column, row, style)
    return column.wraps ? wrap(text, widths[index] ?? text.length).join('\n') : text
  }
  for (const row of rows) drawn.push(shown.map((column, index) => drawnCell(column, row, index)))
  return drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Columns that a terminal of this width shows. */
export function visibleColumns(columns: readonly Column[], style: Style): readonly Column[] {
  const isWide = style.columns >= 100 || style.accessible
  return columns.filter(({ narrow, terminal }) => terminal !== false && (isWide || narrow !== false))
}

/** The columns of these rows that fit the terminal. Later rows can be drawn in the same layout. */
export function tableLayout(columns: readonly Column[], rows: readonly unknown[], style: Style): TableLayout {
  const natural = new Map(columns.map((column) => [column, roomFor(column, rows, style)]))
  const widthsOf = (shown: readonly Column[]) => shown.map((column) => natural.get(column) ?? 0)
  let all = columns.filter((column) => !column.omitEmpty || rows.some((row) => cellText(column, row, style) !== ''))
  for (let next: number; !fitsUnshortened(widthsOf(all), style); all = all.toSpliced(next, 1)) {
    next = all.findIndex(({ givesWay, keep }) => givesWay && !keep)
    if (next === -1) break
  }
  const names = all.filter(({ whole }) => whole)
  const isLong = widthsOf(names).some((width) => width > style.columns * largestShareOfName)
  for (let shown = all; names.length > 0; ) {
    const rigid = shown.map((column) => (column.whole ? { ...column, elastic: false } : column))
    const widths = fitted(rigid, widthsOf(shown), style.columns)
    if (widths !== undefined) return { columns: shown, widths }
    const last = shown.findLastIndex(({ keep }) => !keep)
    if (last === -1 || isLong) break
    shown = shown.toSpliced(last, 1)
  }
  // A name that has to be cut does not tell rows apart: the id does.
  if (names.length > 0) all = columns.filter((column) => column.standsIn || all.includes(column))
  for (let shown = all; shown.length > 0; ) {
    const widths = fitted(shown, widthsOf(shown), style.columns)
    if (widths !== undefined) return { columns: shown, widths }
    const [last, ...others] = shown.filter(({ keep, standsIn }) => !keep && !standsIn).reverse()
    if (last === undefined || shown.length === 1)
      return { columns: shown, widths: shrunk(shown, widthsOf(shown), style.columns) }
    // The last column that says something of a row is worth more than the rest of its name, and than its id.
    const sparing = names.length > 0 && others.length === 0 ? [shown, shown.filter(({ standsIn }) => !standsIn)] : []
    for (const columns of sparing) {
      const brief = columns.map((column) => (column.whole ? { ...column, narrowest: squeezedName } : column))
      const widths = fitted(brief, widthsOf(columns), style.columns)
      if (widths !== undefined) return { columns, widths }
    }
    shown = shown.filter((column) => column !== last)
  }
  return { columns: [], widths: [] }
}

function fitsUnshortened(widths: readonly number[], style: Style): boolean {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1) <= style.columns
}

/** The natural width; for text that continues on further lines at least its narrowest, which a later page may need. */
function roomFor(column: Column, rows: readonly unknown[], style: Style): number {
  const least = column.wraps && column.narrowest !== undefined ? column.narrowest : 0
  return Math.max(least, naturalWidth(column, rows, style))
}

function naturalWidth(column: Column, rows: readonly unknown[], style: Style): number {
  return rows.reduce<number>(
    (widest, row) => Math.max(widest, textWidth(cellText(column, row, style))),
    textWidth(headerOf(column)),
  )
}

/**
 * The widths for one page, whose values can be wider than those of the page that the layout was made for: values to
 * keep are shown whole, and a column that wraps takes the rest of the line.
 */
function widthsOfPage({ columns, widths: planned }: TableLayout, rows: readonly unknown[], style: Style): number[] {
  const widths = columns.map((column, index) => wideEnough(column, planned[index] ?? 0, rows, style))
  const at = columns.findIndex(({ wraps }) => wraps)
  const column = columns[at]
  if (column === undefined) return widths
  const others = widths.reduce((sum, width, index) => sum + (index === at ? 0 : width + gap.length), 0)
  const most = Math.max(column.narrowest ?? narrowest, style.columns - others)
  return widths.with(at, Math.min(most, naturalWidth(column, rows, style)))
}

function wideEnough(column: Column, width: number, rows: readonly unknown[], style: Style): number {
  return column.keep === true && !column.elastic ? Math.max(width, naturalWidth(column, rows, style)) : width
}

/**
 * The columns' widths within the available width, shortening the widest elastic one first; `undefined` if they do not
 * fit.
 */
function fitted(columns: readonly Column[], natural: readonly number[], available: number): number[] | undefined {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (columns.length - 1) - available
  while (excess > 0) {
    const widest = columns.reduce(
      (best, column, index) =>
        column.elastic && (widths[index] ?? 0) > Math.max(column.narrowest ?? narrowest, widths[best] ?? 0)
          ? index
          : best,
      -1,
    )
    if (widest === -1) return undefined
    widths[widest] = (widths[widest] ?? 0) - 1
    excess--
  }
  return widths
}

/** The widths of columns that cannot fit: the minimum for elastic ones, the full width for those to keep. */
function shrunk(columns: readonly Column[], natural: readonly number[], available: number): number[] {
  return columns.map(({ elastic, keep, narrowest: least = narrowest }, index) => {
    const most = elastic ? least : keep ? Number.POSITIVE_INFINITY : available
    return Math.min(natural[index] ?? 0, most)
  })
}

/** `DELIVERY ATTEMPTS` for `deliveryAttempts`, unless the column defines a header. */
function headerOf({ header, name }: Column): string {
  return header ?? name.replace(/([a-z])([A-Z])/g, '$1 $2').toUpperCase()
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
