import type { HeaderSearch } from '../csv-dialect.js'
import type { CsvOptions } from '../csv-header.js'
import type { CsvRecord } from '../csv-line.js'
import { CsvRows, type SheetCell } from '../csv-rows.js'
import { IdRows } from '../json-rows.js'
import type { ByteSource, InputRow, ReadingState } from '../row-source.js'
import { type OpenSheet, openSheet, type SheetOptions } from './open-sheet.js'
import { cellPlace, type SheetRecord } from './sheet.js'

/** The number of rows in which a header is searched for. */
const searchedRows = 30

/** How the rows of a workbook are read. */
interface SheetRowOptions extends CsvOptions, SheetOptions {
  allowIds?: boolean | undefined
  units?: ReadonlyMap<string, unknown> | undefined
  what?: string | undefined
}

/** Rows of a workbook, as those of a CSV with the same cells. Throws `UsageError` before the first if it cannot be read. */
export async function sheetRows(
  source: ByteSource,
  options: SheetRowOptions,
  reading: ReadingState,
): Promise<AsyncIterable<InputRow[]>> {
  const sheet = await openSheet(source, options.what ?? 'The input', options)
  return parsedSheet(sheet, options, reading)
}

async function* parsedSheet(
  sheet: OpenSheet,
  options: SheetRowOptions,
  reading: ReadingState,
): AsyncGenerator<InputRow[], void, undefined> {
  const times = new TimeDoubts(sheet.name)
  const parser = new CsvRows({ ...options, texts: [...(options.units?.keys() ?? [])] }, (cell) => times.look(cell))
  const mayBeIds = options.allowIds === true && options.columns === undefined
  const header = new SheetHeader({ ...parser.search, skipLines: options.skipLines })
  let ids: IdLines | undefined
  const take = (records: CsvRecord[], isEnd: boolean): InputRow[] => {
    if (ids === undefined && mayBeIds && records.length > 0 && header.isUncertain && areWords(records))
      ids = new IdLines()
    if (ids !== undefined) return ids.take(records)
    const rows = [...parser.take(records), ...(isEnd ? parser.end() : [])]
    reading.fields ??= parser.fields
    return rows
  }
  reading.bytesTotal = sheet.bytes
  reading.bytesRead = 0
  for await (const records of sheet.rows((bytes) => (reading.bytesRead += bytes)))
    yield take(header.take(records.map((record) => recordOf(sheet.name, record))), false)
  yield take(header.end(), true)
  const doubts = times.text
  if (doubts !== '') options.onSheet?.(doubts, true)
}

/** The records of a workbook with its header first, for readers of single columns. */
export async function sheetRecords(
  source: ByteSource,
  what: string,
  search: HeaderSearch,
  options: SheetOptions,
): Promise<CsvRecord[]> {
  const sheet = await openSheet(source, what, options)
  const header = new SheetHeader(search)
  const all: CsvRecord[] = []
  for await (const records of sheet.rows(() => undefined))
    all.push(...header.take(records.map((record) => recordOf(sheet.name, record))))
  return [...all, ...header.end()]
}

function recordOf(sheet: string, { line, cells, faults, hiddenTimes, filled }: SheetRecord): CsvRecord {
  return { line, cells, faults, hiddenTimes, filled, sheet, place: (index = 0) => cellPlace(sheet, line, index) }
}

/** Finds the header among the first rows of a sheet, as that of a CSV is found among its first lines. */
class SheetHeader {
  /** The header is only the first row, because none has columns that are known. */
  isUncertain = false
  #held: CsvRecord[] | undefined = []

  constructor(private readonly search: HeaderSearch) {}

  /** Takes records, and gives them from the header on. */
  take(records: readonly CsvRecord[]): CsvRecord[] {
    const shown = records.filter(
      ({ line, cells, faults }) =>
        line > (this.search.skipLines ?? 0) && (faults !== undefined || cells.some((cell) => cell.trim() !== '')),
    )
    if (this.#held === undefined) return shown
    this.#held.push(...shown)
    const { isHeader, firstRecord } = this.search
    const certain = this.#held.slice(0, searchedRows).findIndex(({ cells }) => isHeader?.(cells) ?? true)
    const isOver =
      this.#held.length >= searchedRows || (firstRecord !== undefined && (this.#held.at(-1)?.line ?? 0) >= firstRecord)
    return (firstRecord === undefined && certain !== -1) || isOver ? this.#decide() : []
  }

  /** The records that were kept back until the end. */
  end(): CsvRecord[] {
    return this.#held === undefined ? [] : this.#decide()
  }

  #decide(): CsvRecord[] {
    const held = this.#held ?? []
    this.#held = undefined
    const { isHeader, likeness, firstRecord } = this.search
    if (firstRecord !== undefined) {
      const before = held.findLastIndex(({ line }) => line < firstRecord)
      return held.slice(Math.max(before, 0))
    }
    const searched = held.slice(0, searchedRows)
    const certain = searched.findIndex(({ cells }) => isHeader?.(cells) ?? true)
    if (certain !== -1) return held.slice(certain)
    this.isUncertain = true
    const scores = searched.map(({ cells }) => likeness?.(cells) ?? 0)
    return held.slice(Math.max(scores.indexOf(Math.max(...scores)), 0))
  }
}

/** Whether rows are a list of words: each has one cell. */
function areWords(records: readonly CsvRecord[]): boolean {
  return records.every(({ cells }) => cells.filter((cell) => cell.trim() !== '').length === 1)
}

/** Ids, one a row, with the numbers of the rows. */
class IdLines {
  readonly #rows = new IdRows()
  #line = 0

  take(records: readonly CsvRecord[]): InputRow[] {
    return records.flatMap(({ line, cells }) => {
      const word =
        cells
          .find((cell) => cell.trim() !== '')
          ?.trim()
          .replace(/\s*\n\s*/g, ' ') ?? ''
      const gap = '\n'.repeat(line - this.#line - 1)
      this.#line = line
      return this.#rows.push(`${gap}${word}\n`)
    })
  }
}

/** Times that look as if a program had written them in UTC. */
class TimeDoubts {
  #times = 0
  #atNight = 0
  #hidden = 0
  #first = ''
  #column = ''

  constructor(private readonly sheet: string) {}

  look({ column, path, place, text, hiddenTime }: SheetCell): void {
    if (!/^timeWindows\.|^deliverAt$/.test(path)) return
    const hour = / (\d{2}):\d{2}/.exec(text)?.[1]
    if (hour === undefined) return
    this.#times++
    this.#column = column
    if (Number(hour) >= 22 || Number(hour) < 6) this.#atNight++
    if (hiddenTime === undefined) return
    if (this.#hidden++ === 0) this.#first = `${place()} shows a day and holds ${hiddenTime} as well`
  }

  /** A sentence, or nothing. */
  get text(): string {
    const why =
      'programs that write times in UTC into a sheet move them by 4 to 10 hours; compare them with the times that are meant'
    if (this.#hidden > 0) {
      const more = this.#hidden === 1 ? '' : `, and so do ${(this.#hidden - 1).toLocaleString('en-US')} others`
      return `${this.#first}${more}: ${why}.`
    }
    if (this.#times < 3 || this.#atNight * 2 <= this.#times) return ''
    return `${this.#atNight} of ${this.#times} times in ${this.sheet}, such as those of "${this.#column}", are at night: ${why}.`
  }
}
