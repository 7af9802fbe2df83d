import { isRecord } from '../../shared/json.js'
import { JsonNumber } from '../../shared/json-number.js'
import { type ColumnNames, plainName } from './column-names.js'
import type { CsvRecord } from './csv-records.js'
import { type CsvOptions, CsvRows } from './csv-rows.js'
import type { InputRow, RowParser } from './row-source.js'

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
