import type { SheetFault } from '../../../shared/sheet-faults.js'

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
  isHidden: boolean
}

/** The text of a cell, or why it has none. */
export interface CellReading {
  text: string
  fault?: SheetFault | undefined
  /** The time of a cell that shows only a day. */
  hiddenTime?: string | undefined
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
  /** Whether rows of a sheet may be hidden, from a look at its bytes that reads all of them. */
  look(sheet: string): Promise<SheetLook>
}

/** What a first look at a sheet tells. */
export interface SheetLook {
  bytes: number
  mayHideRows: boolean
}

/** The name of a column: 0 is `A`. */
export function columnLetters(index: number): string {
  let letters = ''
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
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
