import { UsageError } from '../../contract/index.js'
import { unplain } from '../../shared/sheet-faults.js'
import { type CsvDialect, dialectOf, type HeaderSearch } from './csv-dialect.js'
import { CsvLine, type CsvRecord } from './csv-line.js'
import { FramedRecords } from './framed-records.js'
import { maxRowLength, tooLong } from './row-source.js'

/** The longest text in which a header is searched for. */
const longestHead = 65_536

/** The longest text that is kept until it is known whether quotation marks of a file are letters. */
const longestDoubt = 4_194_304

/**
 * The records of a whole text, with its header first.
 *
 * @throws UsageError naming the line of a record that cannot be read
 */
export function csvRecords(text: string, what: string, search: HeaderSearch = {}): CsvRecord[] {
  const reader = new CsvReader(search)
  const records = [...reader.push(text), ...reader.end()]
  const faulty = records.find(({ fault }) => fault !== undefined)
  if (faulty?.fault !== undefined) throw new UsageError(`${what}, line ${faulty.line}: ${faulty.fault.message}.`)
  return records
}

/**
 * Records of comma-separated values as RFC 4180 has them: quoted cells may hold separators, doubled quotes and line
 * breaks; records end with LF, CRLF or CR; empty records are left out. The separator is the one among comma, semicolon
 * and tab that the header has most of, or that a line `sep=` names.
 *
 * Behind a closing quotation mark there can only be a separator or the end of the line. A record that breaks this rule
 * has a fault, and the next line begins a record again, so that no record holds cells of another. In a file separated
 * by tabs in which no cell is quoted as a whole, quotation marks are letters.
 */
export class CsvReader {
  #dialect: CsvDialect | undefined
  #parser: CsvLine | undefined
  #framed: FramedRecords | undefined
  /** The beginning of the text, until its dialect is known. */
  #head = ''
  #hasBreak = false
  /** The beginning of a line, in the pieces in which it was read. */
  #held: string[] = []
  #heldLength = 0
  /** The last piece ended with a carriage return that may belong to a line feed. */
  #endsWithReturn = false
  #line = 0
  /** The lines of the record that is open, and the number of the first. */
  #open: string[] = []
  #openLength = 0
  #startLine = 1
  /** Whether quotation marks are letters; `undefined` as long as it is not known. */
  #areLetters: boolean | undefined = false
  /** Whether line breaks, tabs and backslashes within cells are written as `\n`, `\t` and `\\`, because nothing is quoted. */
  #isEscaped = false
  #mayEscape = false
  /** Lines that wait until it is known what their quotation marks are. */
  #doubtful: { text: string; line: number }[] = []
  #doubtfulLength = 0
  /** The number of cells of the header. */
  #width: number | undefined
  /** The line of the faulty record after which none has been read. */
  #faultyLine: number | undefined
  #records: CsvRecord[] = []

  constructor(private readonly search: HeaderSearch = {}) {}

  /** The separator, once the header has been read. */
  get separator(): string {
    return this.#dialect?.separator ?? ','
  }

  /** @throws UsageError if a line or the header passes the limit, or the header cannot be read */
  push(piece: string): CsvRecord[] {
    if (this.#dialect !== undefined) this.#split(piece)
    else {
      this.#head += piece
      this.#hasBreak ||= /[\r\n]/.test(piece)
      if (this.#head.length > maxRowLength) throw tooLong('The header')
      if (this.#hasBreak) this.#begin(this.#head.length > longestHead)
    }
    return this.#taken()
  }

  /** @throws UsageError if the header cannot be read */
  end(): CsvRecord[] {
    if (this.#dialect === undefined) this.#begin(true)
    const rest = this.#held.join('')
    this.#held = []
    if (rest !== '') this.#read([rest], '', -rest.length)
    if (this.#framed !== undefined) this.#records.push(...this.#framed.end())
    if (this.#doubtful.length > 0) this.#decide(true)
    while (this.#open.length > 0) this.#refuse({ message: 'a quotation mark is never closed' })
    return this.#taken()
  }

  #taken(): CsvRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  #begin(isWhole: boolean): void {
    const dialect = dialectOf(this.#head, this.search, isWhole)
    if (dialect === undefined) return
    this.#dialect = dialect
    this.#parser = new CsvLine(dialect)
    if (dialect.isFramed) this.#framed = new FramedRecords()
    if (dialect.separator === '\t') this.#areLetters = undefined
    const head = this.#head
    this.#head = ''
    this.#split(head)
  }

  #split(piece: string): void {
    const text = this.#dialect?.endsWithReturn ? this.#withFeeds(piece) : piece
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    const held = lines.length > 0 ? this.#heldLength : 0
    if (lines.length > 0) {
      if (this.#held.length > 0) lines[0] = this.#held.join('') + lines[0]
      this.#held = []
      this.#heldLength = 0
    }
    if (rest !== '') this.#held.push(rest)
    this.#heldLength += rest.length
    this.#read(lines, text, -held)
    if (this.#heldLength > maxRowLength)
      throw tooLong(
        this.#width === undefined ? 'The header' : `A cell of the record on line ${this.#recordLine(this.#line + 1)}`,
      )
  }

  #recordLine(next: number): number {
    return this.#open.length > 0 ? this.#startLine : next
  }

  #withFeeds(piece: string): string {
    const text = this.#endsWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece
    this.#endsWithReturn = piece.endsWith('\r')
    return text.replace(/\r\n?/g, '\n')
  }

  /**
   * Reads lines.
   *
   * @param text the text that they are in
   * @param from where they begin in it; less than 0 if the first line began in another piece
   */
  #read(lines: readonly string[], text: string, from: number): void {
    const before = this.#dialect?.linesBefore ?? 0
    const parser = this.#parser
    let end = from - 1
    let odd = -1
    for (const line of lines) {
      const start = end + 1
      end = start + line.length
      if (++this.#line <= before) continue
      if (this.#framed !== undefined) {
        this.#records.push(...this.#framed.take(line, this.#line))
        continue
      }
      if (odd < start) odd = nextUnplain(text, start)
      const isPlain = start >= 0 && odd >= end
      // Most lines are records without a quotation mark.
      if (parser === undefined || this.#areLetters !== false || this.#open.length > 0 || line.includes('"'))
        this.#take(line, this.#line, isPlain)
      else this.#add(parser.bareCells(line), this.#line, line, isPlain)
    }
  }

  /** Takes a line, and those that begin records again after a fault. */
  #take(text: string, line: number, isPlain = false): void {
    if (this.#areLetters === undefined && this.#isDoubtful(text, line)) return
    const parser = this.#parser
    if (parser === undefined) return
    if (this.#open.length === 0) this.#startLine = line
    if (this.#areLetters === true) {
      const cells = text.replace(/\r+$/, '').split('\t')
      this.#add(this.#isEscaped ? cells.map(withoutEscapes) : cells, line, text)
      return
    }
    const end = parser.read(text, this.#open.length > 0)
    if (end === 'closed' && this.#open.length === 0) {
      this.#close(parser, text, line, isPlain)
      return
    }
    this.#open.push(text)
    this.#openLength += text.length + 1
    if (end === 'closed') this.#close(parser, text, line)
    else if (end !== 'open') this.#refuse(end)
    else if (this.#openLength > maxRowLength) this.#refuse({ message: 'a quotation mark is never closed' })
  }

  /** Adds the open record, unless its cells may be those of two. */
  #close(parser: CsvLine, text: string, line: number, isPlain = false): void {
    const [first = ''] = this.#open
    if (line > this.#startLine && parser.mayBeTwo(first, text, this.#width ?? 0)) {
      const message = `a cell begins with a quotation mark that is closed on line ${line}, which looks like a row of its own`
      this.#refuse({ message })
      return
    }
    if (this.#open.length > 0) this.#open = []
    this.#openLength = 0
    if (line === this.#startLine && parser.mayBeLetters(text, this.#width ?? 0))
      this.#fault(line, { message: 'quotation marks enclose what may be several cells' }, parser.cells, text)
    else this.#add(parser.cells, this.#startLine, text, isPlain, parser.hasBeenQuoted)
  }

  /** Gives the open record a fault; the line after its first begins a record again. */
  #refuse(fault: NonNullable<CsvRecord['fault']>): void {
    const [first = '', ...again] = this.#open
    const line = this.#startLine
    this.#open = []
    this.#openLength = 0
    this.#fault(line, fault, this.#parser?.cells ?? [], first)
    for (const [index, text] of again.entries()) this.#take(text, line + 1 + index)
  }

  #fault(line: number, fault: NonNullable<CsvRecord['fault']>, cells: string[], raw: string): void {
    if (this.#width === undefined)
      throw new UsageError(`The header on line ${line} cannot be read: ${fault.message}.`, {
        hint: 'Quotation marks enclose a whole cell, and those inside of it are doubled.',
      })
    this.#faultyLine = line
    this.#records.push({ cells, line, fault, raw: raw.replace(/\r+$/, '') })
  }

  #add(cells: string[], line: number, text: string, isPlain = false, hasBeenQuoted = false): void {
    const isEmpty = cells.length === 1 ? cells[0]?.trim() === '' && !hasBeenQuoted : cells.every(isBlank)
    if (isEmpty) return
    const fault = this.#recordFault(cells, text, hasBeenQuoted)
    if (fault !== undefined) {
      const { cells: kept, ...more } = fault
      this.#records.push({ cells: kept, line, fault: more, raw: text.replace(/\r+$/, '') })
      return
    }
    this.#faultyLine = undefined
    if (this.#width === undefined) {
      this.#width = cells.length
      this.#mayEscape = this.search.mayEscape?.(cells) ?? false
    }
    this.#records.push({ cells, line, isPlain })
  }

  /** The fault of a complete record: it has the cells of another, or there is a doubt. */
  #recordFault(cells: string[], text: string, hasBeenQuoted: boolean) {
    const width = this.#width ?? 0
    if (this.#areLetters === true && width > 0 && cells.length !== width && text.includes('"'))
      return { message: `a quotation mark leaves ${cells.length} cells for ${width} columns`, cells: [] }
    if (!hasBeenQuoted && hasInnerReturn(text) && cells.some((cell) => cell.includes('\r')))
      return { message: 'a carriage return by itself is in the middle of the line', cells: [] }
    if (this.#faultyLine !== undefined && cells.length < width)
      return { message: `it may belong to the record on line ${this.#faultyLine}, which cannot be read`, cells: [] }
    return undefined
  }

  /** Keeps a line back as long as its quotation marks may be letters. */
  #isDoubtful(text: string, line: number): boolean {
    if (this.#doubtful.length === 0) {
      const cells = text.replace(/\r+$/, '').split('\t')
      const begun = cells.filter((cell) => cell.trimStart().startsWith('"'))
      if (begun.length === 0 && !(this.#mayEscape && anyEscape.test(text))) return false
      if (begun.length > 0 && begun.every(isWhole)) {
        this.#areLetters = false
        return false
      }
    }
    this.#doubtful.push({ text, line })
    this.#doubtfulLength += text.length
    const hasWhole = text.includes('"') && text.replace(/\r+$/, '').split('\t').some(isWhole)
    if (hasWhole) this.#decide(false)
    else if (this.#doubtfulLength > longestDoubt) this.#decide(true)
    return true
  }

  /** Reads the lines that were kept back. */
  #decide(areLetters: boolean): void {
    const lines = this.#doubtful
    this.#doubtful = []
    this.#areLetters = areLetters && !this.#hasLongCell(lines)
    this.#isEscaped = this.#mayEscape && lines.every(({ text }) => !text.replace(escapes, '').includes('\\'))
    for (const { text, line } of lines) this.#take(text, line)
  }

  /** Whether a quoted cell goes over several lines, none of which is a record by itself. */
  #hasLongCell(lines: readonly { text: string }[]): boolean {
    const parser = this.#dialect === undefined ? undefined : new CsvLine(this.#dialect)
    const width = this.#width ?? 0
    for (let at = 0; parser !== undefined && at < lines.length; at++) {
      const first = lines[at]?.text ?? ''
      const begun = parser.read(first, false)
      const isRecord = first.split('\t').length === width
      if (begun === 'closed' && parser.cells.length === width && !isRecord) return true
      if (begun !== 'open' || isRecord) continue
      for (let next = at + 1; next < lines.length; next++) {
        const text = lines[next]?.text ?? ''
        const end = parser.read(text, true)
        if (end === 'closed' && parser.cells.length === width && !parser.mayBeTwo(first, text, width)) return true
        if (end !== 'open') break
      }
    }
    return false
  }
}

/** What stands for a line break, a tab and a backslash in tables that quote nothing, as Miller and databases write them. */
const escapes = /\\(r\\n|[nrt\\])/g
const anyEscape = /\\[nrt\\]/
const escaped: Readonly<Record<string, string>> = { t: '\t', '\\': '\\' }

function withoutEscapes(cell: string): string {
  return cell.includes('\\') ? cell.replace(escapes, (_, letter: string) => escaped[letter] ?? '\n') : cell
}

/** Where the next character is that no plain cell holds. */
function nextUnplain(text: string, from: number): number {
  unplain.lastIndex = Math.max(from, 0)
  return unplain.test(text) ? unplain.lastIndex - 1 : text.length
}

/** Whether a carriage return is not at the end of a line. */
function hasInnerReturn(line: string): boolean {
  const at = line.indexOf('\r')
  return at !== -1 && at < line.length - 1
}

function isBlank(cell: string): boolean {
  return cell.trim() === ''
}

/** Whether a cell is quoted as a whole. */
function isWhole(cell: string): boolean {
  return /^\s*"(?:[^"]|"")*"\s*$/.test(cell)
}
