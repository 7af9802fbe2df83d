import { isRecord, readJsonText } from '../../shared/json.js'
import { cellFault, roundedReference } from '../../shared/sheet-faults.js'
import { trimmed } from '../../shared/text-forms.js'
import { withoutUnsafeKeys } from '../../shared/unsafe-keys.js'
import { jsonFaultAt } from './json-fault.js'
import { type InputRow, LineSplitter, type RowParser, rejectionNames } from './row-source.js'

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
    const fault = isId ? undefined : (cellFault(word) ?? roundedReference(word))
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
export function jsonRow(row: number, content: string, line: number): InputRow {
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
