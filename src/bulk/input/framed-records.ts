import { isFramed } from './csv-dialect.js'
import type { CsvRecord } from './csv-line.js'

/** The line of a frame, such as `| --- | :-: |` or `+-----+-----+`. */
const rule = /^[\s|:+=-]*-[\s|:+=-]*$/

/** A separator, which a cell of Markdown writes as `\|`. */
const bar = /(?<!\\)\|/

/**
 * Records of a table whose rows are framed by bars: `| A-1 | Ana |`. Quotation marks are letters there. A row that does
 * not end with a bar continues in the next line, as programs write a line break within its last cell.
 */
export class FramedRecords {
  #width: number | undefined
  #open: string[] = []
  #startLine = 0

  /** Takes a line, and gives the record that it completes, or the open one that cannot be read and its own. */
  take(text: string, line: number): CsvRecord[] {
    const bare = text.replace(/\r+$/, '')
    const begins = bare.trimStart().startsWith('|')
    const isOpen = this.#open.length > 0
    if (!isOpen && (bare.trim() === '' || rule.test(bare))) return []
    if (!isOpen && !begins) return [faulty(bare, line, 'the line is not framed by bars as the rows above it')]
    // A row begins with a bar, and so does not go on in this line.
    const cut = isOpen && begins ? this.end() : []
    if (this.#open.length === 0) this.#startLine = line
    this.#open.push(bare)
    if (!isFramed(this.#open.join('\n'))) return cut
    const whole = this.#open.join('\n')
    this.#open = []
    return [...cut, this.#record(whole)]
  }

  /** The record that is still open, which cannot be read. */
  end(): CsvRecord[] {
    const [first] = this.#open
    this.#open = []
    return first === undefined ? [] : [faulty(first, this.#startLine, 'the row does not end with a bar')]
  }

  #record(text: string): CsvRecord {
    const cells = text
      .split(bar)
      .slice(1, -1)
      .map((cell) => cell.replaceAll('\\|', '|').trim())
    this.#width ??= cells.length
    return cells.length === this.#width
      ? { cells, line: this.#startLine }
      : faulty(text, this.#startLine, `the row has ${cells.length} cells for ${this.#width} columns`)
  }
}

function faulty(raw: string, line: number, message: string): CsvRecord {
  const hint = 'A bar within a cell is written as \\|. Print the table again, or save it as CSV, or repair the line.'
  return { cells: [], line, raw, fault: { message, hint } }
}
