import type { OperationName } from '../contract/index.js'
import { deliveryWord } from '../shared/command-words.js'
import { isRecord } from '../shared/json.js'
import { remembering } from '../shared/texts.js'
import type { Style } from './style.js'

/** A column of a table. `name` is the field's path, such as `dropoff.contactName`, as `--columns` takes it. */
export interface Column {
  readonly name: string
  /** The header on a terminal. Default: the name in capitals. */
  readonly header?: string
  readonly align?: 'left' | 'right'
  /** The cell for people; pipes get the value itself. Default: the value. */
  readonly cell?: (row: unknown, style: Style) => string
  /** Can be shortened on a narrow terminal; other columns never are. */
  readonly elastic?: boolean
  /** The width to which an elastic column can be shortened. Default: 8. */
  readonly narrowest?: number
  /** A name that is cut only if it takes most of the line; then a column that `standsIn` is shown too. */
  readonly whole?: true
  readonly standsIn?: true
  /** Never omitted on a narrow terminal: ids, and what people copy. */
  readonly keep?: true
  /** Omitted, the first such column first, as long as rows do not fit the terminal unshortened. */
  readonly givesWay?: true
  /** On a terminal, its text continues on further lines instead of being shortened. */
  readonly wraps?: true
  /** Omitted on a terminal if no row has a value for it. */
  readonly omitEmpty?: true
  /** `false` omits it on terminals narrower than 100 columns; pipes always get it. */
  readonly narrow?: false
  /** `false` leaves it to pipes, CSV and workbooks: on a terminal another column's cell says it. */
  readonly terminal?: false
}

/** How a result is shown: as rows in a table, pipe or CSV, or as a card for people. */
export interface View<Shown> {
  readonly columns: readonly Column[]
  /** The rows of the result. Default: the result itself, or its elements. */
  readonly rows?: (shown: Shown) => readonly unknown[]
  /** The operations that respond with such rows: `--columns` takes every field of theirs. Default: any operation's. */
  readonly shows?: readonly OperationName[]
  /** The text that `-q` prints for a row. */
  readonly id: (row: unknown) => string
  /** The card for people. Default: the table. */
  readonly card?: (shown: Shown, style: Style) => string
  /** A pipe gets the column names too: the rows say little without them. */
  readonly pipeHeader?: true
  /** Compares times with the present, so that it needs the service's clock, which may be virtual. */
  readonly timed?: true
  /** The text for people if there are no rows. */
  readonly empty?: string | ((shown: Shown) => string)
}

/**
 * The value at a dotted path such as `dropoff.address.city` or `statusHistory.0.status`; `undefined` if there is none.
 */
export function valueAt(row: unknown, path: string): unknown {
  let value = row
  // A column of a query can have any name.
  if (path.includes('.') && typeof row === 'object' && row !== null && Object.hasOwn(row, path))
    return (row as Record<string, unknown>)[path]
  for (const name of namesOf(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

const namesOf = remembering((path) => path.split('.'))

/** A column's cell typed to its rows. */
export function cell<Row>(draw: (row: Row, style: Style) => string): (row: unknown, style: Style) => string {
  return (row, style) => draw(row as Row, style)
}

/** The `id` of a view of deliveries, which reads back as this id. */
export function deliveryIdOf(row: unknown): string {
  return deliveryWord(String(valueAt(row, 'deliveryId') ?? ''))
}

/** The `id` of a view whose id is a plain property. */
export function idOf(name: string): (row: unknown) => string {
  return (row) => String(valueAt(row, name) ?? '')
}

/** The first column of what several accounts have. */
export const profileColumn: Column = { name: 'profile', keep: true }

/** A view of rows with the account of each in front. */
export function withProfileColumn<Shown>(view: View<Shown>): View<Shown> {
  return { ...view, columns: [profileColumn, ...view.columns] }
}

/** A row with its account in front; what is no object, such as a text, becomes the value of one. */
export function withProfile(profile: string, row: unknown): Record<string, unknown> {
  if (!isRecord(row)) return { profile, value: row }
  const { profile: _, ...rest } = row
  return { profile, ...rest }
}
