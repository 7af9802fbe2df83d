import { guardedMonth } from '../../shared/csv-text.js'
import type { SheetFault } from '../../shared/sheet-faults.js'
import type { CsvDialect } from './csv-dialect.js'

/** One record with the line on which it began. */
export interface CsvRecord {
  /** The cells; if the record cannot be read, those before the fault. */
  cells: string[]
  line: number
  /** Why the record cannot be read, and the cell, counted from 0, that is to blame. */
  fault?: { message: string; cell?: number | undefined; hint?: string | undefined } | undefined
  /** The line as it is written, if the record cannot be read. */
  raw?: string | undefined
  /** The name of its sheet, if it is a row of a workbook. */
  sheet?: string | undefined
  /** Where a cell of a workbook is, such as `Orders!B7`. */
  place?: ((index?: number) => string) | undefined
  /** Cells of a workbook that have no value, by their position. */
  faults?: ReadonlyMap<number, SheetFault> | undefined
  /** Cells of a workbook whose value stands in a row above, with which they are merged. */
  filled?: ReadonlySet<number> | undefined
  /** Whether its cells hold nothing that no plain cell holds, as most do. */
  isPlain?: boolean | undefined
  /** Times of cells of a workbook that show only a day. */
  hiddenTimes?: ReadonlyMap<number, string> | undefined
}

/** Why a line cannot be read, and the cell that is to blame, counted from 0. */
interface LineFault {
  message: string
  cell: number
}

/** Reads the cells of a record, line by line. */
export class CsvLine {
  cells: string[] = []
  /** Whether a cell of the record was quoted. */
  hasBeenQuoted = false
  #cell = ''
  /** Whether every cell with letters was quoted, so that the writer quotes all. */
  #areAllQuoted = true
  /** Whether a cell of the record holds a separator. */
  #hasSeparator = false
  /** Whether a record before was complete only because a cell with a separator was quoted. */
  #hadToQuote = false
  readonly #separator: string
  readonly #isSpaced: boolean

  constructor({ separator, isSpaced }: CsvDialect) {
    this.#separator = separator
    this.#isSpaced = isSpaced
  }

  /**
   * Reads a line.
   *
   * @param isContinued whether a quoted cell is open from the line before
   * @returns whether the record is complete, or a quoted cell is open, or what is wrong
   */
  read(text: string, isContinued: boolean): 'closed' | 'open' | LineFault {
    if (!isContinued) this.#reset()
    else this.#cell += '\n'
    if (!isContinued && !text.includes('"')) {
      this.cells = this.bareCells(text)
      return 'closed'
    }
    let at = 0
    let isOpen = isContinued
    while (true) {
      if (!isOpen) {
        const mark = this.#quoteAt(text, at)
        if (mark === undefined) {
          const end = this.#bareEnd(text, at)
          const isLast = end === text.length
          this.#addBare(isLast ? text.slice(at).replace(/\r+$/, '') : text.slice(at, end))
          if (isLast) return 'closed'
          at = end + 1
          continue
        }
        if (mark > at && !(this.#isSpaced && this.#isSpacedLine(text)))
          return this.#fault('a space stands before the quotation mark', text.slice(at))
        at = mark + 1
        this.hasBeenQuoted = true
      }
      const end = this.#quotedEnd(text, at)
      if (end === undefined) return 'open'
      isOpen = false
      const next = this.#afterQuote(text, end)
      if (next === undefined) return this.#fault('text follows the closing quotation mark', text.slice(end))
      this.#addQuoted()
      if (next === text.length) return 'closed'
      at = next + 1
    }
  }

  /** The cells of a line without quotation marks. */
  bareCells(text: string): string[] {
    const separator = this.#separator
    const line = text.endsWith('\r') ? text.replace(/\r+$/, '') : text
    const cells: string[] = []
    let at = 0
    for (let end = line.indexOf(separator); end !== -1; end = line.indexOf(separator, at)) {
      cells.push(line.slice(at, end))
      at = end + 1
    }
    cells.push(line.slice(at))
    return this.#isSpaced ? cells.map((cell) => cell.trimStart()) : cells
  }

  /**
   * Whether the first and last line of a record over several lines would each be a record as well, if their quotation
   * marks were letters.
   */
  mayBeTwo(first: string, last: string, width: number): boolean {
    if (this.#quotesAll(width) || this.#hadToQuote) return false
    return this.#mayBeRecord(first, width) && this.#mayBeRecord(last, width)
  }

  /** Whether a line has the cells of a record only if its quotation marks are letters. */
  mayBeLetters(text: string, width: number): boolean {
    if (!this.hasBeenQuoted || this.cells.length === width) {
      if (this.#hasSeparator) this.#hadToQuote = true
      return false
    }
    // A file that has quoted before quotes here too: some writers leave out the empty cells at the end.
    if (this.#hadToQuote) return false
    return this.cells.length < width && !text.includes('\n') && this.#mayBeRecord(text, width)
  }

  #reset(): void {
    this.cells = []
    this.#cell = ''
    this.hasBeenQuoted = false
    this.#areAllQuoted = true
    this.#hasSeparator = false
  }

  #quotesAll(width: number): boolean {
    return this.#areAllQuoted && this.cells.length === width && width > 1
  }

  /** The position of the quotation mark that a cell begins with, after spaces. */
  #quoteAt(text: string, at: number): number | undefined {
    const first = text.charCodeAt(at)
    if (first === 0x22) return at
    if (first > 0x22 && first < 0x7f) return undefined
    let mark = at
    while (mark < text.length && text[mark] !== this.#separator && /\s/.test(text[mark] ?? '')) mark++
    return text[mark] === '"' ? mark : undefined
  }

  #bareEnd(text: string, at: number): number {
    const end = text.indexOf(this.#separator, at)
    return end === -1 ? text.length : end
  }

  /** Reads a quoted cell up to its closing quotation mark; `undefined` if it is on a later line. */
  #quotedEnd(text: string, from: number): number | undefined {
    let at = from
    while (true) {
      const mark = text.indexOf('"', at)
      if (mark === -1) {
        this.#cell += text.slice(at)
        return undefined
      }
      if (text[mark + 1] !== '"') {
        this.#cell += text.slice(at, mark)
        return mark + 1
      }
      this.#cell += text.slice(at, mark + 1)
      at = mark + 2
    }
  }

  /** The position of the separator or the end of the line after a closing quotation mark, if there is only space. */
  #afterQuote(text: string, from: number): number | undefined {
    let at = from
    while (at < text.length && text[at] !== this.#separator) {
      if (!/\s/.test(text[at] ?? '')) return undefined
      at++
    }
    return at
  }

  /** Whether each separator of a line is followed by a space, those within quotation marks aside. */
  #isSpacedLine(text: string): boolean {
    const [, ...after] = text.replace(/"[^"]*"/g, '').split(this.#separator)
    return after.every((cell) => cell === '' || cell === '\r' || cell.startsWith(' '))
  }

  #addBare(cell: string): void {
    if (this.#areAllQuoted && /[^\d\s.,]/.test(cell)) this.#areAllQuoted = false
    this.cells.push(this.#isSpaced ? cell.trimStart() : cell)
  }

  #addQuoted(): void {
    if (!this.#hasSeparator && this.#cell.includes(this.#separator)) this.#hasSeparator = !this.#cell.includes('\n')
    this.cells.push(this.#cell)
    this.#cell = ''
  }

  /** Whether a line whose quotation marks are letters has the cells of a record: text has a space behind a comma. */
  #mayBeRecord(line: string, width: number): boolean {
    const [, ...after] = line.split(this.#separator)
    const bare = after.filter((cell) => !cell.startsWith(' '))
    return after.length + 1 === width || (this.#separator !== '\t' && bare.length + 1 === width)
  }

  #fault(message: string, text: string): LineFault {
    const cell = this.cells.length
    const shown = text.split(this.#separator, 1)[0] ?? ''
    return { message: shown.trim() === '' ? message : `${message}: ${JSON.stringify(shown.slice(0, 40))}`, cell }
  }
}

/** The guards of `guarded`, which other programs write as well. */
const startGuard = /^(\s*)'(?=[\s"']*[=+\-@＝＋－＠]|[\s']*\d|[\t\r])/
const innerGuard = /([;\t\r\n])'(?='*"*[=+\-@＝＋－＠])/g
const quoteGuard = /^(\s*)'(?=[\s']*")/

/** A text without the apostrophes that guard it: dlv and shops write them, before signs and digits. */
export function withoutGuards(text: string, isTabbed = false): string {
  if (!text.includes("'")) return text
  const inner = text.replace(innerGuard, '$1')
  for (const guard of [startGuard, guardedMonth]) if (guard.test(inner)) return inner.replace(guard, '$1')
  return isTabbed ? inner.replace(quoteGuard, '$1') : inner
}
