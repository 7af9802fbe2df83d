import { formulaText, isPlainCell, referenceFault } from '../../shared/sheet-faults.js'
import { trimmed } from '../../shared/texts.js'
import { joinedCells, mappedColumns, plainName, unitText, unitWordOf } from './column-names.js'
import { type Column, isField, isHeader, isNoText } from './csv-columns.js'
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
import { type CsvOptions, readHeader, type SheetHeader } from './csv-header.js'
import { type CsvRecord, withoutGuards } from './csv-line.js'
import { CsvReader } from './csv-records.js'
import { cellsOfItem, type FailedRow, ItemRows, isFooter, isOnce, type SheetRow } from './item-rows.js'
import type { InputRow, RowParser } from './row-source.js'
import { isForeign, isOtherCurrency } from './telling-columns.js'

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
  #header: SheetHeader = { names: [], columns: undefined, hasNameless: false }
  readonly #unitWords = new Map<number, string | undefined>()
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
    return this.#header.columns?.map(({ path }) => path)
  }

  push(text: string): InputRow[] {
    return this.take(this.#reader.push(text))
  }

  end(): InputRow[] {
    const rows = this.take(this.#reader.end())
    for (const read of this.#items?.end() ?? []) rows.push(this.#numbered(read))
    const merged = this.#items?.merged ?? 0
    if (merged > 0) this.options.onItemRows?.(merged)
    if (this.#header.leftOut !== undefined && this.#header.leftOut.orders.length > 0)
      this.options.onLeftOutOrders?.(this.#header.leftOut.orders)
    return rows
  }

  /** Takes records that are not in a text, with the header first. */
  take(records: readonly CsvRecord[]): InputRow[] {
    const [header, ...rest] = records
    if (header === undefined) return []
    if (this.#header.columns !== undefined) return this.#read(records, this.#header.columns)
    const read = readHeader(header.cells, this.options)
    this.#header = read
    this.#items?.begin(read.columns, read.names)
    return this.#read(rest, read.columns)
  }

  #read(records: readonly CsvRecord[], columns: readonly Column[]): InputRow[] {
    const { onLeftOutLine } = this.options
    const rows: InputRow[] = []
    for (const record of records) {
      const { cells, line, fault } = record
      if (fault === undefined && this.#header.leftOut?.has(cells, line)) continue
      if (fault === undefined && onLeftOutLine !== undefined) {
        const isHeader = this.#isHeaderAgain(cells)
        if (isHeader || isFooter(cells, columns)) {
          onLeftOutLine(line, cells.filter((cell) => trimmed(cell) !== '').join(' '), isHeader)
          continue
        }
        if (this.#reader.separator === '|' && cells.every(isRule)) continue
      }
      const ended = this.#header.ended?.cellOf(record)
      if (ended !== undefined) this.options.onTellingCell?.(ended)
      for (const cell of this.#header.unread?.cellsOf(record) ?? []) this.options.onTellingCell?.(cell)
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
    const [first = ''] = this.#header.names
    return (
      this.#header.names.length > 1 &&
      (cells[0] ?? '').includes(first) &&
      (first !== '' || trimmed(cells[0] ?? '') === '') &&
      this.#header.names.every((name, index) => plainName(cells[index] ?? '') === name)
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
    if (isOnce(column, record.filled)) return ''
    const value =
      indexes.length === 1 ? this.#cellAt(record, column, indexes[0] ?? 0) : this.#joinedCells(record, column)
    if (typeof value !== 'string') return value
    if (column.path === 'dropoff.address.line2') return unitText(value, this.#unitWord(indexes[0]))
    return zoneIndex === undefined ? value : withZone(value, record.cells[zoneIndex] ?? '')
  }

  /** Why a record as a whole cannot be read. */
  #recordFault({ cells, fault, filled }: CsvRecord): RecordFault | undefined {
    const width = this.#header.names.length
    if (fault !== undefined) {
      const name = fault.cell === undefined ? undefined : (this.#header.names[fault.cell] ?? `${fault.cell + 1}`)
      return {
        problem: `${name === undefined ? '' : `, column ${name}`}: ${fault.message}`,
        hint: fault.hint ?? faultHint,
      }
    }
    if (
      cells.length > width &&
      cells.findLastIndex((cell, at) => trimmed(cell) !== '' && filled?.has(at) !== true) >= width
    )
      return { problem: ` has ${cells.length} cells for ${width} columns`, hint: crowdedHint, cell: width }
    const country = this.#header.country === undefined ? '' : trimmed(cells[this.#header.country] ?? '')
    if (country !== '' && isForeign(country))
      return foreignFault(country, this.#header.names, this.#header.country ?? 0)
    const currency = this.#header.currency === undefined ? '' : trimmed(cells[this.#header.currency] ?? '')
    if (currency !== '' && isOtherCurrency(currency))
      return currencyFault(currency, this.#header.names, this.#header.currency ?? 0)
    if (!this.#header.hasNameless || this.options.columns !== undefined) return undefined
    const nameless = cells.findIndex((cell, index) => this.#header.names[index] === '' && trimmed(cell) !== '')
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
      if (isAddress && given.length > 0 && isNoText(cell)) continue
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
    if (!this.#unitWords.has(index)) this.#unitWords.set(index, unitWordOf(this.#header.names[index] ?? ''))
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
    const columns = this.#header.columns ?? []
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
    const column = this.#header.columns?.find(({ path }) => path === 'clientOrderReference')
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

/** A wall time with the offset of its zone, such as `America/New_York -05:00`; a time with an offset has its own. */
function withZone(time: string, zone: string): string {
  const offset = /(?:^|\s)(UTC|[+-]\d{2}:\d{2})\s*$/.exec(zone)?.[1]
  return offset === undefined || !/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?$/.test(time) ? time : `${time} ${offset}`
}
