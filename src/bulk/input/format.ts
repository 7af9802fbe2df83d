import { UsageError } from '../../contract/index.js'
import { JsonScan } from './json-rows.js'
import { maxRowLength, tooLong } from './row-source.js'

/**
 * The forms of an input. `object`: one JSON object and nothing else. `json`: an array, or objects one after the other.
 * `ids`: one delivery id a line, its first word.
 */
export type InputFormat = 'object' | 'json' | 'ndjson' | 'csv' | 'ids'

/** The longest header line. */
const longestHeader = 65_536

/** Detects the format of an input from its beginning, as early as possible: a pipe may be idle for a long time. */
export class FormatDetector {
  readonly #scan = new JsonScan()
  /** The beginning of the input, at most as long as a header. */
  #head = ''
  #length = 0
  /** Where the first value ends: not yet, on its first line, or on a later one. */
  #value: 'open' | 'line' | 'lines' = 'open'
  #lines = 0
  #isNextOnNewLine = false

  /**
   * @param what names the input in an error
   * @param allowIds whether lines that are neither JSON nor CSV are delivery ids
   * @param isSheet whether the input is CSV if it is not JSON: its columns are mapped, or lines are skipped
   */
  constructor(
    private readonly what: string,
    private readonly allowIds: boolean,
    private readonly isSheet = false,
  ) {}

  /**
   * Takes the next piece; gives the form, if it can be told by now.
   *
   * @throws UsageError for a first value that passes the limit, and for what is no input of rows
   */
  push(piece: string): InputFormat | undefined {
    const text = this.#length === 0 ? piece.trimStart() : piece
    if (text === '') return undefined
    this.#length += text.length
    const known = this.#head.length
    // Only its beginning is kept in one: a long input would be copied once more with each piece.
    if (known < longestHeader) this.#head = (this.#head + text).slice(0, longestHeader)
    if (this.#head.startsWith('[')) return 'json'
    if (this.#head.startsWith('{')) return this.#jsonFormat(text, this.#head.length > known)
    if (this.isSheet) return 'csv'
    return this.#length < longestHeader && !/[\r\n]/.test(text) ? undefined : this.#lineFormat(false)
  }

  /** The format of an input that ended before it was detected; `undefined` if the input is empty. */
  end(): InputFormat | undefined {
    if (this.#head === '') return undefined
    return this.#head.startsWith('{') ? 'object' : (this.#lineFormat(true) ?? 'csv')
  }

  /** One object, unless something follows it. */
  #jsonFormat(text: string, isHead: boolean): InputFormat | undefined {
    let from = 0
    if (this.#value === 'open') {
      const end = this.#scan.read(text, 0)
      this.#lines += this.#scan.linesRead
      if (end === undefined) {
        if (isHead && isBrokenRow(this.#head)) return 'ndjson'
        if (this.#length > maxRowLength) throw tooLong(`The first object of ${this.what}`)
        return undefined
      }
      this.#value = this.#lines === 0 ? 'line' : 'lines'
      from = end
    }
    const rest = text.slice(from)
    const next = rest.search(/\S/)
    if (rest.slice(0, next < 0 ? undefined : next).includes('\n')) this.#isNextOnNewLine = true
    if (next < 0) return undefined
    return this.#value === 'line' && this.#isNextOnNewLine ? 'ndjson' : 'json'
  }

  /** The format of an input that is not JSON; `undefined` if later lines have to be seen. */
  #lineFormat(isEnd: boolean): InputFormat | undefined {
    const lines = this.#head.split(/\r\n|\n|\r/)
    const [line = ''] = lines
    if (/^"?sep=.?"?$/i.test(line)) return 'csv'
    // One dotted word by itself, such as ORDER.1, names what a row is about, and no column that would be enough.
    const isName =
      this.allowIds &&
      !hasSeparator(line) &&
      !/^\W*(?:delivery_?[iI]d|clientOrderReference|client_order_reference)\W*$/.test(line)
    if (isHeader(line) && !isName) return 'csv'
    // Columns of other names are named one by one by who reads them.
    if (!this.allowIds && hasSeparator(line)) return 'csv'
    // The first line of a list of ids is a word; a title has several.
    if (this.allowIds && !/\S[ ,;]+\S/.test(line)) return 'ids'
    const isWhole = isEnd || lines.length > titleLines || this.#length >= longestHeader
    const complete = lines.slice(1, isEnd ? titleLines : Math.min(lines.length - 1, titleLines))
    if (complete.some((later) => isTableHeader(later) || (!this.allowIds && hasSeparator(later)))) return 'csv'
    if (!isWhole) return undefined
    if (this.allowIds) return 'ids'
    throw new UsageError(
      `${this.what} is neither JSON nor CSV with a header such as clientOrderReference,dropoff.contactName.`,
    )
  }
}

/** The number of lines in which a header is searched for. */
const titleLines = 30

function hasSeparator(line: string): boolean {
  return /[,;\t|]/.test(line)
}

/** Whether a line below others names columns: an id or a reference beside another column. */
function isTableHeader(line: string): boolean {
  return (
    hasSeparator(line) &&
    /(?:^|[,;\t|"])\s*(?:delivery_?[iI]d|clientOrderReference|client_order_reference)\s*(?:$|[,;\t|"])/.test(line)
  )
}

/** A first line that looks like a row of NDJSON and is not JSON: its brackets or quotes do not match. */
function isBrokenRow(head: string): boolean {
  return /^[^\n]*\}\s*\n\s*\{/.test(head)
}

/** Whether a line names columns: dotted ones, a reference or an id. */
function isHeader(line: string): boolean {
  return /(?:^|[,;\t|"])\s*(?:[A-Za-z]+(?:\.\w+)+|delivery_?[iI]d|clientOrderReference|client_order_reference)\s*(?:$|[,;\t|"\r])/.test(
    line,
  )
}
