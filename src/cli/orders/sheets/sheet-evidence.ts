import type { InputRow, Rows } from '../../../bulk/index.js'
import { isArchive } from '../../../bulk/internal.js'
import { valueAt } from '../../../render/view.js'
import { type DayOrder, type WrittenTime, writtenTimeOf } from './written-time.js'

/** The fields of an order that hold times. */
export const timePaths = ['pickup', 'dropoff'].flatMap((stop) =>
  ['start', 'end'].map((end) => `timeWindows.${stop}.${end}`),
)

/** What a time of the file shows of all of them, with its line. */
interface Shown {
  text: string
  line: number | undefined
}

/** Opens the whole of a sheet once more, while its rows wait. */
interface WholeSheet {
  bytes(): AsyncIterable<Uint8Array>
  rows(): Rows
}

/**
 * What a sheet shows of how its times are written that no row shows alone: `30/11/2026` says that `07/01/2027` begins with
 * its day too, and `3:00 PM` that `9:00` lacks its half of the day. Before the first row that could be read in two ways
 * is sent, the whole sheet is looked at.
 */
export class SheetEvidence {
  #order: Shown | undefined
  #half: Shown | undefined
  #isWhole = false
  #times = 0
  #slashed = 0

  /** @param said what a person has said of the dates */
  constructor(private readonly said: DayOrder | undefined) {}

  /** The order of dates that are not read in this file. */
  get opposite(): DayOrder {
    return this.said === 'day' ? 'month' : 'day'
  }

  /** A date that begins otherwise than dates are read. */
  get otherOrder(): Shown | undefined {
    return this.#order
  }

  /** A time with AM or PM. */
  get half(): Shown | undefined {
    return this.#half
  }

  /** Begins a new reading of the rows. */
  begin(): void {
    this.#times = 0
    this.#slashed = 0
  }

  /** Takes a time as it is read. */
  see(text: string, time: WrittenTime | undefined, line?: number): void {
    this.#times++
    if (/^\s*\d{4}\/\d{2}\/\d{2} \d{2}:\d{2}:\d{2}\s*$/.test(text)) this.#slashed++
    this.#take(text, time, line)
  }

  /** What a program has done to the zone of all times; empty if nothing is seen of it. */
  get lostZone(): string {
    return this.#slashed > 0 && this.#slashed === this.#times
      ? 'all written like 2026/11/30 20:00:00, as Gnumeric writes times in UTC without their Z: check their zone'
      : ''
  }

  /** The rows, none of which is given on before the whole sheet was looked at, if it could be read in two ways. */
  rows(rows: Rows, sheet: WholeSheet): Rows {
    const whole = async (batch: readonly InputRow[]) => {
      if (this.#isWhole || !batch.some(isOpen)) return
      await this.#look(sheet)
      this.#isWhole = true
    }
    return {
      reading: rows.reading,
      async *[Symbol.asyncIterator](): AsyncGenerator<readonly InputRow[]> {
        for await (const batch of rows) {
          await whole(batch)
          yield batch
        }
      },
    }
  }

  /** The text is searched first, which is much cheaper than to read its rows. */
  async #look({ bytes, rows }: WholeSheet): Promise<void> {
    const found = await searched(bytes(), this.opposite)
    // A person who has said what comes first knows the other columns.
    if (this.said === undefined) this.#order ??= found?.date
    const isOrderOpen = () => this.#order === undefined && (found === undefined || found.date !== undefined)
    const isHalfOpen = () => this.#half === undefined && (found?.isHalf ?? true)
    if (!isOrderOpen() && !isHalfOpen()) return
    for await (const batch of rows())
      for (const row of batch) {
        for (const given of timesOf(row)) this.#take(given, writtenTimeOf(given, this.said), row.line)
        if (!isOrderOpen() && !isHalfOpen()) return
      }
  }

  #take(text: string, time: WrittenTime | undefined, line: number | undefined): void {
    if (time?.order === this.opposite) this.#order ??= { text, line }
    if (time?.half === 'said') this.#half ??= { text, line }
  }
}

function timesOf(row: InputRow): string[] {
  if (!('value' in row)) return []
  return timePaths.flatMap((path) => {
    const given = valueAt(row.value, path)
    return typeof given === 'string' && given !== '' ? [given] : []
  })
}

/** Whether a row has a time that could be read in two ways. */
function isOpen(row: InputRow): boolean {
  return timesOf(row).some((given) => {
    // Most sheets have times that are plain.
    if (/^\d{4}-/.test(given)) return false
    const time = writtenTimeOf(given)
    return time?.order === 'either' || time?.half === 'open'
  })
}

/** A date at the beginning of a cell that begins with its day, or with its month. JSON may have a backslash before a slash. */
const slash = '\\\\?[/.-]'
const dayOver12 = '(?:1[3-9]|2\\d|3[01])'
const monthNumber = '(?:0?[1-9]|1[0-2])'
const forms: Readonly<Record<DayOrder, RegExp>> = {
  day: cellWith(`${dayOver12}${slash}${monthNumber}`),
  month: cellWith(`${monthNumber}${slash}${dayOver12}`),
}

function cellWith(dayAndMonth: string): RegExp {
  const start = `[,;\\t|"'\\n\\r][ \\t]*(?:[a-z]{2,12}\\.?,? )?`
  return new RegExp(`${start}(${dayAndMonth}${slash}(?:20)?[2-9]\\d)(?![\\w/.-])`, 'i')
}

/** Longer than what is searched for, at the border of two pieces. */
const overlap = 64

/** What a text has anywhere: dates of a kind, and hours with AM or PM; `undefined` for a workbook. */
async function searched(
  bytes: AsyncIterable<Uint8Array>,
  order: DayOrder,
): Promise<{ date: Shown | undefined; isHalf: boolean } | undefined> {
  let date: Shown | undefined
  let isHalf = false
  let line = 1
  let rest = '\n'
  for await (const chunk of bytes) {
    // What is searched for is ASCII in all encodings; UTF-16 has zeros between.
    const latin = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
    if (rest === '\n' && isArchive(chunk)) return undefined
    const piece = rest + (latin.includes('\0') ? latin.replaceAll('\0', '') : latin)
    isHalf ||= /\d\s?[ap]\.?\s?m\b/i.test(piece)
    const found = date === undefined ? forms[order].exec(piece) : null
    if (found !== null) {
      const before = piece.slice(0, found.index + found[0].length)
      date = { text: (found[1] ?? '').replaceAll('\\', ''), line: line - 1 + linesIn(before) }
    }
    if (date !== undefined && isHalf) break
    rest = piece.slice(-overlap)
    if (date === undefined) line += linesIn(piece) - linesIn(rest)
  }
  return { date, isHalf }
}

function linesIn(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
