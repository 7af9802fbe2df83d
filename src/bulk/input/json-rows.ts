import { UsageError } from '../../contract/index.js'
import { JsonScan } from './json-scan.js'
import { jsonRow } from './line-rows.js'
import { type InputRow, maxRowLength, type RowParser, tooLong } from './row-source.js'

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
