import { UsageError, withoutUnsafeKeys } from '../../contract/index.js'
import { readJsonText } from '../../shared/json.js'
import { jsonFaultAt } from './json-fault.js'
import type { InputRow } from './row-source.js'
import { splitLines } from './row-source.js'

/** One JSON value a line; blank lines are skipped, and a line that is no JSON does not stop those after it. */
export async function* ndjsonRows(text: AsyncIterable<string>): AsyncGenerator<InputRow, void, undefined> {
  let row = 0
  let line = 0
  for await (const content of splitLines(text)) {
    line++
    if (content.trim() === '') continue
    row++
    yield parseRow(row, content, `line ${line}`)
  }
}

/**
 * The elements of one JSON array, or JSON values one after the other over any number of lines. Each is handed on as
 * soon as it is complete.
 *
 * @throws UsageError where the text between the values is none of JSON's: what follows cannot be told apart
 */
export async function* jsonValueRows(text: AsyncIterable<string>): AsyncGenerator<InputRow, void, undefined> {
  const splitter = new ValueSplitter()
  let row = 0
  for await (const piece of text)
    for (const { content, line } of splitter.push(piece)) yield parseRow(++row, content, `line ${line}`)
  splitter.end()
}

/** Names that JSON may spell with escapes, too. */
const mayReachOutside = /__proto__|constructor|prototype|\\u/

function parseRow(row: number, content: string, place: string): InputRow {
  const reading = readJsonText(content)
  // A row that holds such a name is rare, and taking each row apart for it would cost more than reading it.
  if ('value' in reading)
    return { row, value: mayReachOutside.test(content) ? withoutUnsafeKeys(reading.value) : reading.value }
  if (reading.fault === 'depth') return { row, problem: `row ${row} (${place}) ${reading.message}` }
  // The parser's own message names a position only now and then.
  const at = jsonFaultAt(content)
  const lines = content.slice(0, at).split('\n')
  const below = lines.length === 1 ? '' : `, ${lines.length - 1} below`
  return { row, problem: `row ${row} (${place}${below}, column ${(lines.at(-1)?.length ?? 0) + 1}) is not JSON` }
}

interface Piece {
  content: string
  line: number
}

/** Finds the ends of JSON values by counting brackets outside strings; whether a value is JSON is for the parser. */
class ValueSplitter {
  #rest = ''
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isInArray = false
  #isOver = false
  #line = 1
  #startLine = 1

  end(): void {
    if (this.#depth > 0) throw unexpected('The input ends within a value', this.#startLine)
    if (this.#isInArray && !this.#isOver) throw unexpected('The array is not closed', this.#line)
  }

  *push(piece: string): Generator<Piece> {
    let start = 0
    for (let at = 0; at < piece.length; at++) {
      const character = piece.charCodeAt(at)
      if (character === 10) this.#line++
      if (this.#isInString) this.#inString(character)
      else if (this.#depth > 0) {
        if (character === 0x22) this.#isInString = true
        else if (character === 0x7b || character === 0x5b) this.#depth++
        else if (character === 0x7d || character === 0x5d) this.#depth--
        if (this.#depth > 0) continue
        yield { content: this.#rest + piece.slice(start, at + 1), line: this.#startLine }
        this.#rest = ''
      } else if (this.#begins(character)) {
        start = at
        this.#startLine = this.#line
        this.#depth = 1
      }
    }
    if (this.#depth > 0) this.#rest += piece.slice(start)
  }

  #inString(character: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === 0x5c) this.#isEscaped = true
    else if (character === 0x22) this.#isInString = false
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
