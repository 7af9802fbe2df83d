import type { SheetFault } from '../../../shared/sheet-faults.js'
import { beyond, bounds, damaged } from './zip-archive.js'

/** A row of a sheet. */
export interface SheetRecord {
  /** Its number, as the program of the sheet shows it. */
  line: number
  /** The texts of its cells. */
  cells: string[]
  /** The cells that have no value that could be read, by their position from 0. */
  faults?: Map<number, SheetFault> | undefined
  /** Cells that show a day and hold a time as well, with the time. */
  hiddenTimes?: Map<number, string> | undefined
  /** Cells whose value stands in a row above, with which they are merged. */
  filled?: Set<number> | undefined
  isHidden: boolean
  /** Whether each of its cells with a value is struck out. */
  isStruckOut: boolean
}

/** The text of a cell, or why it has none. */
export interface CellReading {
  text: string
  fault?: SheetFault | undefined
  /** The time of a cell that shows only a day. */
  hiddenTime?: string | undefined
  isStruckOut?: boolean | undefined
}

/** A sheet of a workbook, before its cells are read. */
export interface SheetName {
  name: string
  isVisible: boolean
}

/** An open workbook. */
export interface Workbook {
  /** In the order in which its program shows them. */
  readonly sheets: readonly SheetName[]
  /** The rows of a sheet that have cells. */
  rows(sheet: string, onRead?: (bytes: number) => void): AsyncGenerator<SheetRecord[], void, undefined>
  hasRows(sheet: string): Promise<boolean>
  /** Whether rows of a sheet may be hidden or struck out, from a look at its bytes that reads all of them. */
  look(sheet: string): Promise<SheetLook>
}

/** What a first look at a sheet tells. */
export interface SheetLook {
  bytes: number
  mayHideRows: boolean
}

/** The name of a column: 0 is `A`. */
function columnLetters(index: number): string {
  let letters = ''
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

/** The column of a reference such as `B7`, from 0; -1 if it names none. */
export function columnIn(reference: string): number {
  let column = 0
  for (let at = 0; at < reference.length; at++) {
    const code = reference.charCodeAt(at) & 0xdf
    if (code < 65 || code > 90) break
    column = column * 26 + code - 64
  }
  return column - 1
}

/** The place of a cell in messages: `Orders!B7`, `'July 4'!B7`. */
export function cellPlace(sheet: string, line: number, index: number): string {
  const name = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`
  return `${name}!${columnLetters(index)}${line}`
}

export const neverCalculated: SheetFault = {
  message: 'is a formula that was never calculated',
  hint: 'Open the workbook once in Excel or LibreOffice, save it, and pass it again.',
}

/** The fault of a number cell that holds something else. */
export function notANumber(text: string): SheetFault {
  return {
    message: `"${text.slice(0, 40)}" stands in a cell of numbers and is not one`,
    hint: 'Enter the value, or leave the cell empty, and repair the program that wrote it.',
  }
}

export const longNumber: SheetFault = {
  message: 'is a number of more than 15 digits, which sheets round: its last digits may be lost',
  hint: 'The sheet has stored it as a number; format the column as text, enter it again, and save the sheet.',
}

/** Makes records of cells as they are read, within the bounds of a sheet. */
export class RowBuilder {
  #line = 0
  #cells: string[] = []
  #faults: Map<number, SheetFault> | undefined
  #hiddenTimes: Map<number, string> | undefined
  #isHidden = false
  #isStruckOut = true
  #next = 0
  #count = 0
  #records: SheetRecord[] = []

  constructor(
    private readonly what: string,
    private readonly sheet: string,
  ) {}

  /** Begins a row; without a number, the one after the last. */
  begin(line: number | undefined, isHidden: boolean): void {
    const next = line ?? this.#line + 1
    if (!Number.isSafeInteger(next) || next <= this.#line)
      throw damaged(this.what, `row ${line} of ${this.sheet} stands behind row ${this.#line}`)
    if (next > bounds.rows) throw beyond(this.what, `${this.sheet} has more than ${bounds.rows} rows`)
    this.#line = next
    this.#isHidden = isHidden
    this.#isStruckOut = true
    this.#next = 0
  }

  /** Lets rows go by that have no cells. */
  skip(rows: number): void {
    this.#line += rows
  }

  get line(): number {
    return this.#line
  }

  /** The position of a cell by its reference, such as `B7`; without one, behind the last. */
  place(reference: string | undefined): number {
    const column = reference === undefined ? -1 : columnIn(reference)
    return column === -1 ? this.#next : column
  }

  add(at: number, text: string, isStruckOut: boolean, fault?: SheetFault, hiddenTime?: string): void {
    if (at >= bounds.columns) throw beyond(this.what, `${this.sheet} has more than ${bounds.columns} columns`)
    if (at < this.#next)
      throw damaged(this.what, `the cell ${cellPlace(this.sheet, this.#line, at)} stands behind a later one`)
    this.#next = at + 1
    if (text === '' && fault === undefined) return
    if (!isStruckOut) this.#isStruckOut = false
    if (text.length > bounds.tokenLength) throw beyond(this.what, 'a cell in it is longer than 1 MB')
    while (this.#cells.length < at) this.#cells.push('')
    this.#cells.push(text)
    if (text.length > bounds.cellLength) this.#fault(at, tooLong)
    if (fault !== undefined) this.#fault(at, fault)
    if (hiddenTime !== undefined) {
      this.#hiddenTimes ??= new Map()
      this.#hiddenTimes.set(at, hiddenTime)
    }
  }

  /** Lets empty cells go by. */
  pass(cells: number): void {
    this.#next += cells
  }

  end(): void {
    if (this.#cells.length === 0) return
    this.#count += this.#cells.length
    if (this.#count > bounds.cells) throw beyond(this.what, `${this.sheet} has more than ${bounds.cells} cells`)
    this.#records.push({
      line: this.#line,
      cells: this.#cells,
      faults: this.#faults,
      hiddenTimes: this.#hiddenTimes,
      isHidden: this.#isHidden,
      isStruckOut: this.#isStruckOut,
    })
    this.#cells = []
    this.#faults = undefined
    this.#hiddenTimes = undefined
  }

  /** The rows that are complete. */
  taken(): SheetRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  #fault(at: number, fault: SheetFault): void {
    this.#faults ??= new Map()
    this.#faults.set(at, fault)
  }
}

const tooLong: SheetFault = {
  message: `is longer than the ${bounds.cellLength.toLocaleString('en-US')} letters that a cell can have`,
  hint: 'Shorten it, and save the sheet again.',
}
