import { UsageError } from '../../contract/index.js'
import { maxRowLength, tooLong } from './row-source.js'

/** One record with the line on which it began. */
export interface CsvRecord {
  cells: string[]
  line: number
}

const comma = 44
const lineFeed = 10
const carriageReturn = 13
const quote = 0x22

/** The records of a whole text. Throws `UsageError` if a quote is never closed. */
export function csvRecords(text: string): CsvRecord[] {
  const reader = new CsvReader()
  return [...reader.push(text), ...reader.end()]
}

/**
 * Records of comma-separated values as RFC 4180 has them: quoted cells may hold separators, doubled quotes and line
 * breaks; records end with LF or CRLF; blank lines are skipped. The separator is the one among comma, semicolon and
 * tab that the first line has most of.
 */
export class CsvReader {
  #separator: number | undefined
  /** The header so far, in the pieces in which it was read. */
  #held: string[] = []
  #heldLength = 0
  #cell = ''
  #cells: string[] = []
  /** Characters of the pieces that the record lies in, the one it ends in aside. */
  #recordLength = 0
  /** Length of the quoted part of the cell, in which a carriage return is content. */
  #quotedLength = 0
  #isQuoted = false
  #hasBeenQuoted = false
  /** A quote was seen within a quoted cell: it ends the cell, unless another follows. */
  #isQuotePending = false
  #line = 1
  #startLine = 1

  #endCell(rest: string, isLast: boolean): void {
    const cell = this.#cell + rest
    const isEndedByReturn =
      isLast && cell.length > this.#quotedLength && cell.charCodeAt(cell.length - 1) === carriageReturn
    this.#cells.push(isEndedByReturn ? cell.slice(0, -1) : cell)
    this.#cell = ''
    this.#quotedLength = 0
    this.#isQuoted = false
    this.#isQuotePending = false
  }

  /** The separator, once the header has been read. */
  get separator(): string {
    return String.fromCharCode(this.#separator ?? comma)
  }

  /** @throws UsageError if a cell or a record passes the limit */
  push(piece: string): CsvRecord[] {
    if (this.#separator !== undefined) return this.#scan(piece)
    this.#held.push(piece)
    this.#heldLength += piece.length
    if (this.#heldLength > maxRowLength) throw tooLong('The header')
    return piece.includes('\n') ? this.#begin() : []
  }

  /** @throws UsageError if a quote is never closed */
  end(): CsvRecord[] {
    const records = this.#separator === undefined ? this.#begin() : []
    if (this.#isQuoted && !this.#isQuotePending)
      throw new UsageError(`The quote of the record on line ${this.#startLine} is never closed`)
    this.#endRecord(records)
    return records
  }

  #begin(): CsvRecord[] {
    const text = this.#held.join('')
    this.#held = []
    this.#separator = separatorOf(text.split('\n', 1)[0] ?? '')
    return this.#scan(text)
  }

  #scan(piece: string): CsvRecord[] {
    const records: CsvRecord[] = []
    let start = 0
    for (let at = 0; at < piece.length; at++) {
      const character = piece.charCodeAt(at)
      if (character === lineFeed) this.#line++
      if (this.#isQuoted && !this.#isQuotePending) {
        if (character !== quote) continue
        this.#cell += piece.slice(start, at)
        this.#quotedLength = this.#cell.length
        this.#isQuotePending = true
        start = at + 1
      } else if (character === quote && (this.#isQuotePending || (this.#cell === '' && start === at))) {
        if (this.#isQuotePending) this.#cell += '"'
        this.#isQuoted = true
        this.#isQuotePending = false
        this.#hasBeenQuoted = true
        start = at + 1
      } else if (character === this.#separator || character === lineFeed) {
        this.#endCell(piece.slice(start, at), character === lineFeed)
        if (character === lineFeed) this.#endRecord(records)
        start = at + 1
      }
    }
    this.#cell += piece.slice(start)
    this.#recordLength += piece.length
    if (this.#cell.length > maxRowLength) throw tooLong(`A cell of the record on line ${this.#startLine}`)
    if (this.#recordLength > maxRowLength + piece.length) throw tooLong(`The record on line ${this.#startLine}`)
    return records
  }

  #endRecord(records: CsvRecord[]): void {
    if (this.#cell !== '' || this.#isQuoted) this.#endCell('', true)
    const isBlank = this.#cells.length === 0 || (this.#cells.length === 1 && this.#cells[0] === '')
    if (!isBlank || this.#hasBeenQuoted) records.push({ cells: this.#cells, line: this.#startLine })
    this.#recordLength = 0
    this.#cells = []
    this.#hasBeenQuoted = false
    this.#startLine = this.#line
  }
}

function separatorOf(header: string): number {
  const bare = header.replace(/"[^"]*"/g, '')
  const counted = [',', ';', '\t'].map((separator) => ({ separator, count: bare.split(separator).length }))
  return counted.reduce((most, each) => (each.count > most.count ? each : most)).separator.charCodeAt(0)
}
