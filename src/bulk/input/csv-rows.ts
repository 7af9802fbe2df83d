import type { z } from 'zod'
import { textForm } from '../../contract/index.js'
import { formulaText, isPlainCell, referenceFault } from '../../shared/sheet-faults.js'
import { trimmed } from '../../shared/texts.js'
import {
  type ColumnNames,
  isAnswerColumn,
  joinedCells,
  mapHeader,
  mappedColumns,
  plainName,
  unitText,
  unitWordOf,
} from './column-names.js'
import {
  archivedFields,
  type Column,
  distinct,
  isField,
  isHeader,
  isOfArchive,
  isRejection,
  readColumn,
} from './csv-columns.js'
import type { HeaderSearch } from './csv-dialect.js'
import {
  beside,
  type CellFault,
  crowdedHint,
  currencyFault,
  faultHint,
  faultOf,
  foreignFault,
  joinedFaults,
  type RecordFault,
  recordValue,
  sheetCellFault,
} from './csv-faults.js'
import { type CsvRecord, withoutGuards } from './csv-line.js'
import { CsvReader } from './csv-records.js'
import { cellsOfItem, type FailedRow, ItemRows, isFooter, type SheetRow } from './item-rows.js'
import type { InputRow, RowParser } from './row-source.js'
import {
  countryColumn,
  currencyColumn,
  EndedOrders,
  isForeign,
  isOtherCurrency,
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

/** A cell of a workbook that is the time of an order. */
export interface SheetCell {
  column: string
  path: string
  /** Where it is, such as `Orders!B7`. */
  place: () => string
  text: string
  /** The time of a cell that shows only a day. */
  hiddenTime: string | undefined
}

/** What is behind the name of a column of times in that of the column with their zones. */
const zoneSuffix = ' zone'

/**
 * Rows of a CSV with a header of dotted names, such as `dropoff.address.postalCode`. Cells are read as the schema's
 * field wants them; an empty cell leaves its field out; a list is JSON, or values separated by semicolons. A header with
 * an unknown, doubled or forbidden name is a `UsageError`.
 */
export class CsvRows implements RowParser {
  /** How the header is told from other rows. */
  readonly search: HeaderSearch
  readonly #reader: CsvReader
  readonly #items: ItemRows | undefined
  #columns: readonly Column[] | undefined
  #header: readonly string[] = []
  #leftOut: OrdersLeftOut | undefined
  #ended: EndedOrders | undefined
  #unread: UnreadColumns | undefined
  readonly #unitWords = new Map<number, string | undefined>()
  /** The place of the column with countries, which no field takes. */
  #country: number | undefined
  #currency: number | undefined
  /** Whether a column has no name. */
  #hasNameless = false
  #row = 0

  /** @param onSheetCell called with the times of a workbook that are read */
  constructor(
    private readonly options: CsvOptions,
    private readonly onSheetCell?: (cell: SheetCell) => void,
  ) {
    const { schema, columns, skipLines, hasItemRows } = options
    this.search = {
      skipLines,
      isHeader: (cells) => isHeader(cells, schema, columns),
      // What dlv itself prints has a backslash as it is.
      mayEscape: (cells) => columns !== undefined || cells.every((cell) => isField(schema, plainName(cell))),
      likeness: (cells) => (columns === undefined ? 0 : mappedColumns(cells, columns)),
    }
    this.#reader = new CsvReader(this.search)
    if (hasItemRows) this.#items = new ItemRows()
  }

  /** The fields that the columns are read as, once the header was read. */
  get fields(): readonly string[] | undefined {
    return this.#columns?.map(({ path }) => path)
  }

  push(text: string): InputRow[] {
    return this.take(this.#reader.push(text))
  }

  end(): InputRow[] {
    const rows = this.take(this.#reader.end())
    for (const read of this.#items?.end() ?? []) rows.push(this.#numbered(read))
    const merged = this.#items?.merged ?? 0
    if (merged > 0) this.options.onItemRows?.(merged)
    if (this.#leftOut !== undefined && this.#leftOut.orders.length > 0)
      this.options.onLeftOutOrders?.(this.#leftOut.orders)
    return rows
  }

  /** Takes records that are not in a text, with the header first. */
  take(records: readonly CsvRecord[]): InputRow[] {
    const [header, ...rest] = records
    if (header === undefined) return []
    if (this.#columns !== undefined) return this.#read(records, this.#columns)
    this.#columns = this.#readHeader(header.cells)
    this.#items?.begin(this.#columns, this.#header)
    return this.#read(rest, this.#columns)
  }

  #readHeader(cells: readonly string[]): readonly Column[] {
    const { schema, columns: names, onLeftOut, texts = [] } = this.options
    this.#header = cells.map(plainName)
    this.#hasNameless = this.#header.includes('')
    const { columns, others } = mapHeader(cells, names ?? new Map())
    const leftOut: string[] = []
    const isAnswer = isOfArchive(this.#header) ? () => true : isAnswerColumn
    const own = others.flatMap((given) => {
      const { name } = given
      const column = { ...given, path: archivedFields.get(name) ?? name }
      if (name === '' || isRejection(name) || this.#isZone(name)) return []
      if (isField(schema, column.path)) return [column]
      if (names === undefined && !(onLeftOut !== undefined && isAnswer(name))) return [column]
      leftOut.push(name)
      return []
    })
    const read = distinct([...columns, ...own].map((column) => readColumn(column, schema)))
    if (leftOut.length > 0) onLeftOut?.([...new Set(leftOut)])
    if (this.options.leaveOut !== undefined)
      this.#leftOut = new OrdersLeftOut(
        cells,
        this.options.leaveOut,
        read.find(({ path }) => path === 'clientOrderReference')?.indexes[0],
      )
    if (names !== undefined && read.some(({ path }) => path.startsWith('dropoff.address'))) {
      const taken = new Set(read.flatMap(({ indexes }) => indexes))
      this.#country = countryColumn(cells, taken)
      if (read.some(({ path }) => /Cents$/.test(path))) this.#currency = currencyColumn(cells, taken)
      if (this.options.onTellingCell !== undefined) {
        const times = read.flatMap(({ isTime, indexes }) => (isTime ? indexes : []))
        this.#ended = new EndedOrders(cells, taken, this.options.leaveOut)
        const reference = read.find(({ path }) => path === 'clientOrderReference')?.indexes[0]
        this.#unread = new UnreadColumns(cells, taken, { timed: times, reference }, this.options.leaveOut)
      }
    }
    return read.map((column) => ({
      ...column,
      ...(texts.includes(column.path) ? { form: textForm, isWhole: false } : {}),
      zoneIndex: zoned(this.#header.indexOf(`${column.name}${zoneSuffix}`)),
    }))
  }

  /** Whether a column holds the zones of another one. */
  #isZone(name: string): boolean {
    return name.endsWith(zoneSuffix) && this.#header.includes(name.slice(0, -zoneSuffix.length))
  }

  #read(records: readonly CsvRecord[], columns: readonly Column[]): InputRow[] {
    const { onLeftOutLine } = this.options
    const rows: InputRow[] = []
    for (const record of records) {
      const { cells, line, fault } = record
      if (fault === undefined && this.#leftOut?.has(cells, line)) continue
      if (fault === undefined && onLeftOutLine !== undefined) {
        const isHeader = this.#isHeaderAgain(cells)
        if (isHeader || isFooter(cells, columns)) {
          onLeftOutLine(line, cells.filter((cell) => trimmed(cell) !== '').join(' '), isHeader)
          continue
        }
        if (this.#reader.separator === '|' && cells.every(isRule)) continue
      }
      const ended = this.#ended?.cellOf(record)
      if (ended !== undefined) this.options.onTellingCell?.(ended)
      for (const cell of this.#unread?.cellsOf(record) ?? []) this.options.onTellingCell?.(cell)
      if (this.#items === undefined) rows.push(this.#rowOf(record, columns))
      else for (const each of this.#items.push(this.#cellsOf(record, columns))) rows.push(this.#numbered(each))
    }
    return rows
  }

  /** The row of a record by itself. */
  #rowOf(record: CsvRecord, columns: readonly Column[]): InputRow {
    const { line, sheet } = record
    const fault = this.#recordFault(record)
    if (fault !== undefined) return this.#failed(this.#failedRow(record, fault))
    const { value, faults } = recordValue(columns, (column) => this.#textOf(record, column))
    if (faults.length > 0)
      return this.#failed({ ...this.#failedRow(record, joinedFaults(faults)), ...beside(value, faults) })
    const row = ++this.#row
    return sheet === undefined ? { row, line, value } : { row, line, sheet, value }
  }

  /** Whether a record is the header again, as files that were joined have it. */
  #isHeaderAgain(cells: readonly string[]): boolean {
    const [first = ''] = this.#header
    return (
      this.#header.length > 1 &&
      (cells[0] ?? '').includes(first) &&
      (first !== '' || trimmed(cells[0] ?? '') === '') &&
      this.#header.every((name, index) => plainName(cells[index] ?? '') === name)
    )
  }

  /** The cells of a record by column, or why they cannot be read. */
  #cellsOf(record: CsvRecord, columns: readonly Column[]): SheetRow {
    const { line, sheet, place } = record
    const fault = this.#recordFault(record)
    if (fault !== undefined) return this.#failedRow(record, fault)
    const texts = columns.map((column) => this.#textOf(record, column))
    const values = texts.filter((text) => typeof text === 'string')
    if (values.length === texts.length) return { line, sheet, place, values }
    const { value, faults } = recordValue(columns, (_, index) => texts[index] ?? '')
    return { ...this.#failedRow(record, joinedFaults(faults)), ...beside(value, faults) }
  }

  /** The text of a column in a record, or why it has none. */
  #textOf(record: CsvRecord, column: Column): string | CellFault {
    const { indexes, zoneIndex } = column
    const value =
      indexes.length === 1 ? this.#cellAt(record, column, indexes[0] ?? 0) : this.#joinedCells(record, column)
    if (typeof value !== 'string') return value
    if (column.path === 'dropoff.address.line2') return unitText(value, this.#unitWord(indexes[0]))
    return zoneIndex === undefined ? value : withZone(value, record.cells[zoneIndex] ?? '')
  }

  /** Why a record as a whole cannot be read. */
  #recordFault({ cells, fault }: CsvRecord): RecordFault | undefined {
    const width = this.#header.length
    if (fault !== undefined) {
      const name = fault.cell === undefined ? undefined : (this.#header[fault.cell] ?? `${fault.cell + 1}`)
      return {
        problem: `${name === undefined ? '' : `, column ${name}`}: ${fault.message}`,
        hint: fault.hint ?? faultHint,
      }
    }
    if (cells.length > width && cells.findLastIndex((cell) => trimmed(cell) !== '') >= width)
      return { problem: ` has ${cells.length} cells for ${width} columns`, hint: crowdedHint, cell: width }
    const country = this.#country === undefined ? '' : trimmed(cells[this.#country] ?? '')
    if (country !== '' && isForeign(country)) return foreignFault(country, this.#header, this.#country ?? 0)
    const currency = this.#currency === undefined ? '' : trimmed(cells[this.#currency] ?? '')
    if (currency !== '' && isOtherCurrency(currency)) return currencyFault(currency, this.#header, this.#currency ?? 0)
    if (!this.#hasNameless || this.options.columns !== undefined) return undefined
    const nameless = cells.findIndex((cell, index) => this.#header[index] === '' && trimmed(cell) !== '')
    if (nameless === -1) return undefined
    const text = cells[nameless]?.slice(0, 80)
    return { problem: `: "${text}" is in column ${nameless + 1}, which has no name`, cell: nameless }
  }

  /** The value of several columns that are one field, or have the same name. */
  #joinedCells(record: CsvRecord, column: Column): string | CellFault {
    const given: string[] = []
    const isAddress = column.isJoined && /^dropoff\.address(?:\.line[12])?$/.test(column.path)
    for (const index of column.indexes) {
      const cell = this.#cellAt(record, column, index)
      if (typeof cell !== 'string') return cell
      given.push(isAddress ? unitText(cell, this.#unitWord(index)) : cell)
    }
    if (column.isJoined) return (this.#items === undefined ? joinedCells : cellsOfItem)(given, column.path)
    return (
      theOne(given) ?? {
        message: `${column.indexes.length} columns have this name, with different values`,
        hint: `Say which: { columns: { "${column.name} (2)": "${column.path}" } } is the second.`,
        index: column.indexes[0],
      }
    )
  }

  /** The word for what stands in a column of apartments or suites; kept, because every row asks for it. */
  #unitWord(index = -1): string | undefined {
    if (!this.#unitWords.has(index)) this.#unitWords.set(index, unitWordOf(this.#header[index] ?? ''))
    return this.#unitWords.get(index)
  }

  #cellAt(record: CsvRecord, column: Column, index: number): string | CellFault {
    const given = record.cells[index] ?? ''
    const isOfSheet = record.place !== undefined
    if (!isOfSheet) {
      if (given === column.last.given) return column.last.cell
      if (!column.isTime && isPlain(given, record, column)) return given
    }
    const text = trimmed(given)
    const guarded = text.includes("'") ? trimmed(withoutGuards(text, this.#reader.separator === '\t')) : text
    const cell = text.startsWith('=') ? formulaText(guarded) : guarded
    const fault = (isOfSheet ? sheetCellFault(record, index) : undefined) ?? faultOf(cell, column)
    if (fault !== undefined) return { ...fault, index }
    if (isOfSheet) return this.#sheetCell(record, column, index, cell)
    column.last.given = given
    column.last.cell = cell
    return cell
  }

  /** The text of a cell of a workbook; one that is formatted as dollars is cents in a field of cents. */
  #sheetCell({ place, hiddenTimes }: CsvRecord, { name, path, isTime }: Column, index: number, text: string): string {
    if (isTime) {
      const hiddenTime = hiddenTimes?.get(index)
      this.onSheetCell?.({ column: name, path, place: () => place?.(index) ?? '', text, hiddenTime })
    }
    if (!text.startsWith('$')) return text
    const [, whole, cents] = /^\$(\d+)\.(\d{2})$/.exec(text) ?? []
    return whole !== undefined && /Cents$/.test(path) && !this.options.texts?.includes(path)
      ? String(Number(`${whole}${cents}`))
      : text
  }

  /** The row of several records that are one order. */
  #numbered(read: SheetRow): InputRow {
    if (!('values' in read)) return this.#failed(read)
    const { line, sheet, place, values } = read
    const columns = this.#columns ?? []
    const { value, faults } = recordValue(columns, (_, index) => values[index] ?? '')
    if (faults.length > 0) {
      const { cell: at, ...fault } = joinedFaults(faults)
      const clientOrderReference = values[columns.findIndex(({ path }) => path === 'clientOrderReference')] || undefined
      const failed = { line, sheet, place: place?.(at), ...fault, clientOrderReference }
      return this.#failed({ ...failed, ...beside(value, faults) })
    }
    const row = ++this.#row
    return sheet === undefined ? { row, line, value } : { row, line, sheet, value }
  }

  /** A record that cannot be read, with the reference of its order as far as it is there. */
  #failedRow(record: CsvRecord, { problem, hint, cell }: RecordFault): FailedRow {
    const { line, sheet, place } = record
    const column = this.#columns?.find(({ path }) => path === 'clientOrderReference')
    const reference = column === undefined ? undefined : this.#textOf(record, column)
    const [at = 0] = column?.indexes ?? []
    const text = typeof reference === 'object' ? trimmed(record.cells[at] ?? '') : reference
    const clientOrderReference = text === '' ? undefined : text
    return { line, sheet, place: place?.(cell), problem, hint, clientOrderReference }
  }

  #failed({ place, ...failed }: FailedRow): InputRow {
    const row = ++this.#row
    return { row, ...failed, problem: `row ${row} (${place ?? `line ${failed.line}`})${failed.problem}` }
  }
}

/** Whether a cell is its own value and has no fault, without being read further. */
function isPlain(cell: string, record: CsvRecord, { path }: Column): boolean {
  return isPlainCell(cell, record.isPlain) && (path !== 'clientOrderReference' || referenceFault(cell) === undefined)
}

/** Whether a cell is a part of the line below the header of a table of Markdown. */
function isRule(cell: string): boolean {
  return /^\s*(?::?-{2,}:?(?:\+-{2,})*)?\s*$/.test(cell)
}

/** The value of columns of one name, of which others are empty; `undefined` if they differ. */
function theOne(cells: readonly string[]): string | undefined {
  if (cells.length === 1) return cells[0]
  const given = [...new Set(cells.filter((cell) => trimmed(cell) !== ''))]
  return given.length > 1 ? undefined : (given[0] ?? '')
}

function zoned(index: number): number | undefined {
  return index === -1 ? undefined : index
}

/** A wall time with the offset of its zone, such as `America/New_York -05:00`; a time with an offset has its own. */
function withZone(time: string, zone: string): string {
  const offset = /(?:^|\s)(UTC|[+-]\d{2}:\d{2})\s*$/.exec(zone)?.[1]
  return offset === undefined || !/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?$/.test(time) ? time : `${time} ${offset}`
}
