import type { Style } from './style.js'

/** A column of a table. `name` is the wire's path, such as `dropoff.contactName`; `--columns` takes these. */
export interface Column {
  readonly name: string
  /** What a terminal's table says above it. Default: the name in capitals. */
  readonly header?: string
  readonly align?: 'left' | 'right'
  /** The cell for people; pipes get the wire's own value. Default: the value itself. */
  readonly cell?: (row: unknown, style: Style) => string
  /** May be shortened on a narrow terminal; the others never are. */
  readonly elastic?: boolean
  /** Never left out on a narrow terminal: ids, and what people copy. */
  readonly keep?: true
  /** `false` leaves it out of terminal tables narrower than 100 columns; pipes have it always. */
  readonly narrow?: false
}

/** How a result is shown: as rows in a table, pipe or CSV, and for people as a card. */
export interface View<Shown> {
  readonly columns: readonly Column[]
  /** The rows of the result. Default: the result itself, or its elements. */
  readonly rows?: (shown: Shown) => readonly unknown[]
  /** What `-q` prints for a row. */
  readonly id: (row: unknown) => string
  /** The drawing for people. Default: the table. */
  readonly card?: (shown: Shown, style: Style) => string
  /** What a person reads where there are no rows. */
  readonly empty?: string | ((shown: Shown) => string)
}

/** The value at a dotted path such as `dropoff.address.city` or `statusHistory.0.status`; `undefined` if there is none. */
export function valueAt(row: unknown, path: string): unknown {
  let value = row
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** A column's cell typed to its rows. */
export function cell<Row>(draw: (row: Row, style: Style) => string): (row: unknown, style: Style) => string {
  return (row, style) => draw(row as Row, style)
}

/** What `-q` prints where the id is a plain property. */
export function idOf(name: string): (row: unknown) => string {
  return (row) => String(valueAt(row, name) ?? '')
}
