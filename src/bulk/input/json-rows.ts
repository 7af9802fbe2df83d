import { UsageError } from '../../contract/index.js'
import { isRecord, maxJsonDepth, readJsonText } from '../../shared/json.js'
import { JsonNumber } from '../../shared/json-number.js'
import { cellFault, referenceFault } from '../../shared/sheet-faults.js'
import { trimmed } from '../../shared/texts.js'
import { withoutUnsafeKeys } from '../../shared/unsafe-keys.js'
import { type ColumnNames, plainName } from './column-names.js'
import type { CsvOptions } from './csv-header.js'
import type { CsvRecord } from './csv-line.js'
import { CsvRows } from './csv-rows.js'
import { type InputRow, LineSplitter, maxRowLength, type RowParser, rejectionNames, tooLong } from './row-source.js'

/**
 * The elements of one JSON array, or JSON objects one after the other over any number of lines. Finds the ends of values
 * by counting brackets outside strings; whether a value is JSON is for the parser.
 */
export class JsonValueRows implements RowParser {
  #scan = new JsonScan()
  /** The beginning of a value, in the pieces in which it was read. */
  #held: string[] = []
  #heldLength = 0
  #isInArray = false
  #isOver = false
  #row = 0
  #line = 1
  #startLine = 1

  push(text: string): InputRow[] {
    const rows: InputRow[] = []
    let start = 0
    for (let at = 0; at < text.length; ) {
      if (!this.#scan.isOpen) {
        const character = text.charCodeAt(at)
        if (character === 10) this.#line++
        if (!this.#begins(character)) {
          at++
          continue
        }
        start = at
        this.#startLine = this.#line
      }
      const end = this.#scan.read(text, at)
      this.#line += this.#scan.linesRead
      if (end === undefined) break
      this.#held.push(text.slice(start, end))
      rows.push(jsonRow(++this.#row, this.#held.join(''), this.#startLine))
      this.#held = []
      this.#heldLength = 0
      at = end
    }
    if (this.#scan.isOpen) {
      this.#held.push(text.slice(start))
      this.#heldLength += text.length - start
      if (this.#heldLength > maxRowLength) throw tooLong(`Row ${this.#row + 1} (line ${this.#startLine})`)
    }
    return rows
  }

  end(): InputRow[] {
    if (this.#scan.isOpen) throw unexpected('The input ends within a value', this.#startLine)
    if (this.#isInArray && !this.#isOver) throw unexpected('The array is not closed', this.#line)
    return []
  }

  /** Between values: whether one begins here. */
  #begins(character: number): boolean {
    if (character === 32 || character === 10 || character === 13 || character === 9) return false
    if (this.#isOver) throw unexpected('Something follows the array', this.#line)
    if (character === 0x5b && !this.#isInArray) {
      this.#isInArray = true
      return false
    }
    if (character === 0x5d && this.#isInArray) {
      this.#isOver = true
      return false
    }
    if (character === 0x2c && this.#isInArray) return false
    if (character === 0x7b) return true
    throw unexpected(`"${String.fromCharCode(character)}" where an object should begin`, this.#line)
  }
}

function unexpected(message: string, line: number): UsageError {
  return new UsageError(`${message} (line ${line})`, {
    hint: 'Give one JSON object, an array of objects, one object a line, or CSV with a header.',
  })
}

const space = /[ \t\r\n]*/y
const scalar =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** The position at which a text stops being JSON: that of the first token that is not allowed there. Only for invalid texts. */
function jsonFaultAt(text: string): number {
  const reader = new FaultReader(text)
  return reader.readValue() ? reader.skipSpace() : reader.at
}

class FaultReader {
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  skipSpace(): number {
    this.#match(space)
    return this.at
  }

  /** Whether a value stands here; if not, `at` is where it breaks. */
  readValue(depth = 0): boolean {
    const opening = this.#text[this.skipSpace()]
    if (depth > maxJsonDepth || (opening !== '{' && opening !== '[')) return this.#match(scalar)
    const closing = opening === '{' ? '}' : ']'
    this.at++
    if (this.#take(closing)) return true
    do {
      if (opening === '{' && !this.#readName()) return false
      if (!this.readValue(depth + 1)) return false
    } while (this.#take(','))
    return this.#take(closing)
  }

  #readName(): boolean {
    return this.#text[this.skipSpace()] === '"' && this.#match(scalar) && this.#take(':')
  }

  #take(character: string): boolean {
    if (this.#text[this.skipSpace()] !== character) return false
    this.at++
    return true
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#text)
    this.at += found?.[0].length ?? 0
    return found !== null
  }
}

const lineFeed = 10
const quote = 0x22
const backslash = 0x5c

/** Reads along a JSON object that comes in pieces, to find where it ends. */
export class JsonScan {
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** Line feeds in the piece that was read last, as far as it was read. */
  linesRead = 0

  /** Whether an object has begun and not ended. */
  get isOpen(): boolean {
    return this.#depth > 0
  }

  /** Reads on from a position, at which an object begins unless one is open; gives the position behind its end. */
  read(text: string, from: number): number | undefined {
    this.linesRead = 0
    for (let at = from; at < text.length; at++) {
      const character = text.charCodeAt(at)
      if (character === lineFeed) this.linesRead++
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (character === backslash) this.#isEscaped = true
        else if (character === quote) this.#isInString = false
      } else if (character === quote) this.#isInString = true
      // `[` and `{`, `]` and `}` differ in one bit only.
      else if ((character | 0x20) === 0x7b) this.#depth++
      else if ((character | 0x20) === 0x7d && --this.#depth === 0) return at + 1
    }
    return undefined
  }
}

/** Reads one row per line; blank lines are skipped. */
abstract class LineRows implements RowParser {
  #row = 0
  #line = 0
  readonly #lines = new LineSplitter((before) => `Row ${this.#row + 1} (line ${this.#line + before + 1})`)

  push(text: string): InputRow[] {
    return this.#rowsOf(this.#lines.push(text))
  }

  end(): InputRow[] {
    return this.#rowsOf(this.#lines.end())
  }

  #rowsOf(lines: readonly string[]): InputRow[] {
    const rows: InputRow[] = []
    for (const line of lines) {
      this.#line++
      if (trimmed(line) !== '') rows.push(this.read(++this.#row, line, this.#line))
    }
    return rows
  }

  protected abstract read(row: number, content: string, line: number): InputRow
}

/** Reads one JSON value per line; a line that is not JSON does not stop the lines after it. */
export class NdjsonRows extends LineRows {
  protected read(row: number, content: string, line: number): InputRow {
    return jsonRow(row, content, line)
  }
}

/** Reads one delivery per line: an id (`del_…` or `id:…`) up to white space, or a reference up to a tab. */
export class IdRows extends LineRows {
  protected read(row: number, content: string, line: number): InputRow {
    const text = trimmed(content)
    const isId = /^(?:del_|id:.)/.test(text)
    const [first = ''] = text.split(isId ? /\s/ : /\t/, 1)
    const word = trimmed(first)
    const fault = isId ? undefined : (cellFault(word) ?? referenceFault(word))
    if (fault !== undefined)
      return {
        row,
        line,
        problem: `row ${row} (line ${line}): "${word.slice(0, 80)}" ${fault.message}`,
        hint: fault.hint,
      }
    return isId
      ? { row, line, value: { deliveryId: word.replace(/^id:/, '') } }
      : { row, line, value: { deliveryId: word }, isWord: true }
  }
}

/** Texts of unsafe keys, and of the escapes that could spell them. Searching for each is faster than a pattern. */
const unsafeTexts = ['__proto__', 'constructor', 'prototype', '\\u']

function mayReachOutside(content: string): boolean {
  return unsafeTexts.some((text) => content.includes(text))
}

/** A row of JSON that begins on this line. */
function jsonRow(row: number, content: string, line: number): InputRow {
  const reading = readJsonText(content, 'input')
  // Such rows are rare, and copying every row without these keys would cost more than parsing it.
  if ('value' in reading) {
    const value = mayReachOutside(content) ? withoutUnsafeKeys(reading.value) : reading.value
    if (content.includes(rejectionNames[1]) && isRecord(value)) for (const name of rejectionNames) delete value[name]
    return { row, line, value }
  }
  if (reading.fault === 'depth') return { row, line, problem: `row ${row} (line ${line}) ${reading.message}` }
  // The parser's own message does not always name a position.
  const at = jsonFaultAt(content)
  const lines = content.slice(0, at).split('\n')
  const below = lines.length === 1 ? '' : `, ${lines.length - 1} below`
  const column = (lines.at(-1)?.length ?? 0) + 1
  return { row, line, problem: `row ${row} (line ${line}${below}, column ${column}) is not JSON` }
}

/** The objects that are looked at for their names before the first is a row. */
const lookedAt = 500

/**
 * Rows of JSON objects that are rows of a sheet: their names are its columns, as programs convert tables. Objects may leave
 * out what is empty; a mapped name that none of the first objects has is refused like a missing column.
 */
export class JsonTableRows implements RowParser {
  readonly #table: CsvRows
  #held: InputRow[] | undefined = []
  #names: readonly string[] = []

  constructor(
    private readonly objects: RowParser,
    options: CsvOptions & { columns: ColumnNames },
  ) {
    this.#table = new CsvRows(options)
  }

  /** The fields that its names are read as, once they are known. */
  get fields(): readonly string[] | undefined {
    return this.#table.fields
  }

  push(text: string): InputRow[] {
    return this.#take(this.objects.push(text), false)
  }

  end(): InputRow[] {
    return [...this.#take(this.objects.end(), true), ...this.#table.end()]
  }

  #take(objects: readonly InputRow[], isEnd: boolean): InputRow[] {
    if (this.#held === undefined) return this.#table.take(objects.map((row) => this.#recordOf(row)))
    this.#held.push(...objects)
    if (this.#held.length < lookedAt && !isEnd) return []
    const held = this.#held
    this.#held = undefined
    if (held.length === 0) return []
    const names = held.flatMap((row) => ('value' in row && isRecord(row.value) ? Object.keys(row.value) : []))
    this.#names = [...new Set(names)]
    return this.#table.take([{ cells: [...this.#names], line: 0 }, ...held.map((row) => this.#recordOf(row))])
  }

  #recordOf(row: InputRow): CsvRecord {
    const { line = row.row } = row
    const faulty = (message: string): CsvRecord => ({ cells: [], line, fault: { message } })
    if (!('value' in row)) return faulty(withoutPlace(row.problem))
    if (!isRecord(row.value)) return faulty('is not an object')
    const cells = new Array<string>(this.#names.length).fill('')
    for (const [name, value] of Object.entries(row.value)) {
      const text = cellText(value)
      const at = this.#names.indexOf(name)
      if (at !== -1) cells[at] = text
      else if (text !== '') return faulty(`"${plainName(name).slice(0, 80)}" is a name that no row before has`)
    }
    return { cells, line }
  }
}

/** `is not JSON (column 12)` of `row 3 (line 4, column 12) is not JSON`: the table says row and line. */
function withoutPlace(problem: string): string {
  const [, more = '', message = problem] = /^row \d+ \(line \d+(?:, ([^)]*))?\):? ?(.*)$/s.exec(problem) ?? []
  return more === '' ? message : `${message} (${more})`
}

/** A value as the cell of a sheet. Numbers keep their digits; the `.0` that converters write behind whole ones goes. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof JsonNumber) return value.text.replace(/^(-?\d+)\.0+$/, '$1')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
