import { UsageError } from '../../contract/index.js'
import { JsonScan } from './json-scan.js'
import { maxRowLength, tooLong } from './row-source.js'

/**
 * The forms of an input. `object`: one JSON object and nothing else. `json`: an array, or objects one after the other.
 * `ids`: one delivery id a line, its first word.
 */
export type InputFormat = 'object' | 'json' | 'ndjson' | 'csv' | 'ids'

/** A header line is no longer than this. */
const longestHeader = 65_536

/** Tells the form of an input by how it begins, as soon as that can be told: a pipe may be silent for long after. */
export class FormatDetector {
  readonly #scan = new JsonScan()
  #head = ''
  #at = 0
  #valueEnd: number | undefined

  /**
   * @param what names the input in an error
   * @param allowIds whether lines that are neither JSON nor CSV are delivery ids
   */
  constructor(
    private readonly what: string,
    private readonly allowIds: boolean,
  ) {}

  /**
   * Takes the next piece; gives the form, if it can be told by now.
   *
   * @throws UsageError for a first value that passes the limit, and for what is no input of rows
   */
  push(piece: string): InputFormat | undefined {
    this.#head = this.#head === '' ? piece.trimStart() : this.#head + piece
    if (this.#head === '') return undefined
    if (this.#head.startsWith('[')) return 'json'
    if (this.#head.startsWith('{')) return this.#jsonFormat()
    const lineEnd = this.#head.indexOf('\n')
    return lineEnd < 0 && this.#head.length < longestHeader ? undefined : this.#lineFormat()
  }

  /** The form of an input that ended before it could be told; `undefined` if it is empty. */
  end(): InputFormat | undefined {
    if (this.#head === '') return undefined
    return this.#head.startsWith('{') ? 'object' : this.#lineFormat()
  }

  /** One object, unless something follows it. */
  #jsonFormat(): InputFormat | undefined {
    if (this.#valueEnd === undefined) {
      this.#valueEnd = this.#scan.read(this.#head, this.#at)
      this.#at = this.#head.length
    }
    if (this.#valueEnd === undefined) {
      if (isBrokenRow(this.#head)) return 'ndjson'
      if (this.#head.length > maxRowLength) throw tooLong(`The first object of ${this.what}`)
      return undefined
    }
    const between = /\S/g
    between.lastIndex = this.#valueEnd
    const next = between.exec(this.#head)?.index
    if (next === undefined) return undefined
    const lineEnd = this.#head.indexOf('\n')
    return lineEnd >= this.#valueEnd && lineEnd < next ? 'ndjson' : 'json'
  }

  #lineFormat(): InputFormat {
    const [line = ''] = this.#head.split('\n', 1)
    // One dotted word by itself, such as ORDER.1, names what a row is about, and no column that would be enough.
    const isName = this.allowIds && !/[,;\t]/.test(line) && !/^\W*(?:deliveryId|clientOrderReference)\W*$/.test(line)
    if (isHeader(line) && !isName) return 'csv'
    if (this.allowIds) return 'ids'
    // Columns of other names are named one by one by who reads them.
    if (/[,;\t]/.test(line)) return 'csv'
    throw new UsageError(
      `${this.what} is neither JSON nor CSV with a header such as clientOrderReference,dropoff.contactName.`,
    )
  }
}

/** A first line that looks like a row of NDJSON and is not JSON: its brackets or quotes do not match. */
function isBrokenRow(head: string): boolean {
  return /^[^\n]*\}\s*\n\s*\{/.test(head.slice(0, longestHeader))
}

/** Whether a line names columns: dotted ones, a reference or an id. */
function isHeader(line: string): boolean {
  return /(?:^|[,;\t"])\s*(?:[A-Za-z]+(?:\.\w+)+|deliveryId|clientOrderReference)\s*(?:$|[,;\t"\r])/.test(line)
}
