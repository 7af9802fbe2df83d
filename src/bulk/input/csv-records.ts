import { UsageError } from '../../contract/index.js'

/** One record with the line on which it began. */
export interface CsvRecord {
  cells: string[]
  line: number
}

/**
 * Records of comma-separated values as RFC 4180 has them: quoted cells may hold separators, doubled quotes and line
 * breaks; records end with LF or CRLF; blank lines are skipped. The separator is the one among comma, semicolon and
 * tab that the first line has most of.
 *
 * @throws UsageError where a quote is never closed
 */
export async function* csvRecords(text: AsyncIterable<string>): AsyncGenerator<CsvRecord, void, undefined> {
  const reader = new CsvReader()
  for await (const piece of text) yield* reader.push(piece)
  yield* reader.end()
}

const lineFeed = 10
const carriageReturn = 13
const quote = 0x22

class CsvReader {
  #separator: number | undefined
  #held = ''
  #cell = ''
  #cells: string[] = []
  /** As much of the cell stood in quotes: a carriage return in there belongs to it. */
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

  *push(piece: string): Generator<CsvRecord> {
    if (this.#separator === undefined) {
      this.#held += piece
      if (!this.#held.includes('\n')) return
      yield* this.#begin()
    } else yield* this.#scan(piece)
  }

  *end(): Generator<CsvRecord> {
    if (this.#separator === undefined) yield* this.#begin()
    if (this.#isQuoted && !this.#isQuotePending)
      throw new UsageError(`The quote of the record on line ${this.#startLine} is never closed`)
    yield* this.#endRecord()
  }

  *#begin(): Generator<CsvRecord> {
    this.#separator = separatorOf(this.#held.split('\n', 1)[0] ?? '')
    yield* this.#scan(this.#held)
    this.#held = ''
  }

  *#scan(piece: string): Generator<CsvRecord> {
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
        if (character === lineFeed) yield* this.#endRecord()
        start = at + 1
      }
    }
    this.#cell += piece.slice(start)
  }

  *#endRecord(): Generator<CsvRecord> {
    if (this.#cell !== '' || this.#isQuoted) this.#endCell('', true)
    const isBlank = this.#cells.length === 0 || (this.#cells.length === 1 && this.#cells[0] === '')
    if (!isBlank || this.#hasBeenQuoted) yield { cells: this.#cells, line: this.#startLine }
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
