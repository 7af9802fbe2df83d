import type { z } from 'zod'
import { textForm } from '../../contract/index.js'
import { type ColumnNames, isAnswerColumn, mapHeader, plainName } from './column-names.js'
import { archivedFields, type Column, distinct, isField, isOfArchive, isRejection, readColumn } from './csv-columns.js'
import {
  countryColumn,
  currencyColumn,
  EndedOrders,
  type LeftOutOrder,
  type LeftOutValues,
  OrdersLeftOut,
  type TellingCell,
  UnreadColumns,
} from './telling-columns.js'

/** How the rows of a CSV are read. */
export interface CsvOptions {
  schema: z.ZodType
  /** Columns with names of their own; with them, columns that are no field are left out. */
  columns?: ColumnNames | undefined
  /** Called with the names of these. */
  onLeftOut?: ((columns: readonly string[]) => void) | undefined
  /** Fields whose cells stay texts. */
  texts?: readonly string[] | undefined
  /** The number of lines before the header, if it is not searched for. */
  skipLines?: number | undefined
  /** Whether rows with the reference of the row above are items of its order. */
  hasItemRows?: boolean | undefined
  /** Called with the number of orders that several rows were. */
  onItemRows?: ((orders: number) => void) | undefined
  /** Called with each line that is a total, a footer or the header again; without it, such a line is a row. */
  onLeftOutLine?: ((line: number, text: string, isHeader?: boolean) => void) | undefined
  /** Columns with the values whose orders are left out. */
  leaveOut?: LeftOutValues | undefined
  /** Called at the end with the orders that were. */
  onLeftOutOrders?: ((orders: readonly LeftOutOrder[]) => void) | undefined
  /** Called with each cell of a column that is not read and says of its order, which is read all the same, that it is ended, when it is wanted, or what a driver may need. */
  onTellingCell?: ((cell: TellingCell) => void) | undefined
}

/** The header of a sheet: its columns, and the questions to its rows beside their fields. */
export interface SheetHeader {
  /** The names as they stand there, without marks. */
  names: readonly string[]
  /** The columns that are read; `undefined` before there is a header. */
  columns: readonly Column[] | undefined
  /** Whether a column has no name. */
  hasNameless: boolean
  /** The place of the column with countries, which no field takes. */
  country?: number | undefined
  /** That of the column with currencies, of a sheet with amounts. */
  currency?: number | undefined
  /** The orders that are left out. */
  leftOut?: OrdersLeftOut | undefined
  /** Those that a column says to have ended. */
  ended?: EndedOrders | undefined
  /** The columns that nobody reads, and that may matter. */
  unread?: UnreadColumns | undefined
}

/** The end of the name of a column with the zones of a column of times. */
const zoneSuffix = ' zone'

/** Reads the header. @throws UsageError for an unknown, doubled or forbidden name */
export function readHeader(
  cells: readonly string[],
  options: CsvOptions,
): SheetHeader & { columns: readonly Column[] } {
  const { schema, columns: given, onLeftOut, leaveOut, texts = [] } = options
  const names = cells.map(plainName)
  const { columns, others } = mapHeader(cells, given ?? new Map())
  const leftOut: string[] = []
  const isAnswer = isOfArchive(names) ? () => true : isAnswerColumn
  const own = others.flatMap((other) => {
    const { name } = other
    const column = { ...other, path: archivedFields.get(name) ?? name }
    if (name === '' || isRejection(name) || isZone(name, names)) return []
    if (isField(schema, column.path)) return [column]
    if (given === undefined && !(onLeftOut !== undefined && isAnswer(name))) return [column]
    leftOut.push(name)
    return []
  })
  const read = distinct([...columns, ...own].map((column) => readColumn(column, schema)))
  if (leftOut.length > 0) onLeftOut?.([...new Set(leftOut)])
  const reference = read.find(({ path }) => path === 'clientOrderReference')?.indexes[0]
  return {
    names,
    hasNameless: names.includes(''),
    ...(leaveOut === undefined ? {} : { leftOut: new OrdersLeftOut(cells, leaveOut, reference) }),
    ...(given === undefined ? {} : tellingColumns(cells, read, options)),
    columns: read.map((column) => ({
      ...column,
      ...(texts.includes(column.path) ? { form: textForm, isWhole: false } : {}),
      zoneIndex: zoned(names.indexOf(`${column.name}${zoneSuffix}`)),
    })),
  }
}

/** The columns of a shop's sheet with addresses that tell of its orders, and are no fields. */
function tellingColumns(
  cells: readonly string[],
  read: readonly Column[],
  { leaveOut, onTellingCell }: CsvOptions,
): Partial<SheetHeader> {
  if (!read.some(({ path }) => path.startsWith('dropoff.address'))) return {}
  const taken = new Set(read.flatMap(({ indexes }) => indexes))
  const country = countryColumn(cells, taken)
  const currency = read.some(({ path }) => /Cents$/.test(path)) ? currencyColumn(cells, taken) : undefined
  if (onTellingCell === undefined) return { country, currency }
  const timed = read.flatMap(({ isTime, indexes }) => (isTime ? indexes : []))
  const reference = read.find(({ path }) => path === 'clientOrderReference')?.indexes[0]
  const ended = new EndedOrders(cells, taken, leaveOut)
  return { country, currency, ended, unread: new UnreadColumns(cells, taken, { timed, reference }, leaveOut) }
}

/** Whether a column holds the zones of another one. */
function isZone(name: string, names: readonly string[]): boolean {
  return name.endsWith(zoneSuffix) && names.includes(name.slice(0, -zoneSuffix.length))
}

function zoned(index: number): number | undefined {
  return index === -1 ? undefined : index
}
