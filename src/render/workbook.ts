import { UsageError } from '../contract/index.js'
import { guarded } from '../shared/csv-text.js'
import { zonesOfStop } from '../trade/zip-zones.js'
import { localTimeOf } from '../trade/zoned-time.js'
import { bareText } from './pipe-lines.js'
import { plainLines } from './plain-text.js'
import { type Column, valueAt } from './view.js'
import { cellStyles, WorkbookFile } from './workbook-file.js'

/** The rows that are looked at to find the columns with times, before the first is written. */
const lookedAt = 500
const mostRows = 1_048_575
const longestText = 32_767

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

/** The end of the name of a column with the zones of a column of times. */
const zoneColumn = ' zone'

/** A column of the sheet: of the view, or of the zones of the one before it. */
interface SheetColumn {
  column: Column
  isZone: boolean
}

/**
 * A workbook of rows: texts stay texts, times are wall times of the order's ZIP code with their zone beside them, cents
 * are dollars. No cell is a formula.
 */
export class WorkbookRows {
  readonly #file = new WorkbookFile()
  readonly #held: unknown[] = []
  #columns: readonly SheetColumn[] | undefined
  #widths: number[] = []
  #line = 0

  constructor(
    private readonly given: readonly Column[],
    private readonly hasHeader: boolean,
  ) {}

  /** @throws UsageError for more rows, or longer texts, than a sheet can have */
  async add(rows: readonly unknown[]): Promise<void> {
    if (this.#columns === undefined) {
      for (const row of rows) this.#held.push(row)
      if (this.#held.length < lookedAt) return
      await this.#begin()
    } else await this.#write(rows)
  }

  async end(): Promise<Buffer> {
    await this.#begin()
    const last = `${columnName(Math.max((this.#columns?.length ?? 1) - 1, 0))}${Math.max(this.#line, 1)}`
    return this.#file.end({
      dimension: last === 'A1' ? 'A1' : `A1:${last}`,
      widths: this.#widths.map((width) => Math.min(Math.max(width + 2, 8), 60)),
      hasHeader: this.hasHeader,
    })
  }

  async #begin(): Promise<void> {
    if (this.#columns !== undefined) return
    const isTime = ({ name }: Column) =>
      this.#held.some((row) => {
        const value = valueAt(row, name)
        return typeof value === 'string' && isoTime.test(value)
      }) || /(?:At|\.start|\.end|promisedBy)$/.test(name)
    const columns = this.given.flatMap((column) => [
      { column, isZone: false },
      ...(isTime(column) ? [{ column, isZone: true }] : []),
    ])
    this.#columns = columns
    this.#widths = columns.map(() => 0)
    if (this.hasHeader)
      await this.#row(
        columns.map(({ column, isZone }) => textCell(`${column.name}${isZone ? zoneColumn : ''}`, cellStyles.header)),
      )
    await this.#write(this.#held.splice(0))
  }

  async #write(rows: readonly unknown[]): Promise<void> {
    for (const row of rows) {
      const zone = zoneOf(row)
      const hasZone = new Set((this.#columns ?? []).filter(({ isZone }) => isZone).map(({ column }) => column))
      await this.#row(
        (this.#columns ?? []).map(({ column, isZone }) =>
          this.#cell(row, column, { isZone, hasZone: hasZone.has(column), zone }),
        ),
      )
    }
  }

  #cell(
    row: unknown,
    { name }: Column,
    { isZone, hasZone, zone }: { isZone: boolean; hasZone: boolean; zone: string },
  ): Cell | undefined {
    const value = valueAt(row, name)
    const time = hasZone && typeof value === 'string' && isoTime.test(value) ? wallTime(value, zone) : undefined
    if (isZone) return time === undefined ? undefined : textCell(time.zone, cellStyles.text)
    if (time !== undefined) return { xml: `s="${cellStyles.time}"><v>${time.serial}</v></c>`, width: 16 }
    if (typeof value === 'boolean') return { xml: `t="b"><v>${value ? 1 : 0}</v></c>`, width: 5 }
    if (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e15) {
      if (/Cents$/.test(name) && Number.isInteger(value))
        return { xml: `s="${cellStyles.money}"><v>${value / 100}</v></c>`, width: 10 }
      return { xml: `><v>${value}</v></c>`, width: String(value).length }
    }
    const text = plainLines(bareText(value).replaceAll('\r\n', '\n'))
    if (text === '') return undefined
    if (text.length > longestText)
      throw new UsageError(
        `The column ${name} has a text of ${text.length.toLocaleString('en-US')} letters, and a cell can have ${longestText}.`,
        {
          hint: 'Leave it out with --columns, or use -o csv.',
        },
      )
    return textCell(text, cellStyles.text)
  }

  async #row(cells: readonly (Cell | undefined)[]): Promise<void> {
    if (++this.#line > mostRows + 1)
      throw new UsageError(`A sheet can have ${mostRows.toLocaleString('en-US')} rows, and there are more.`, {
        hint: 'Limit the period, or use -o csv.',
      })
    let xml = `<row r="${this.#line}">`
    for (const [at, cell] of cells.entries()) {
      if (cell === undefined) continue
      xml += `<c r="${columnName(at)}${this.#line}" ${cell.xml}`
      this.#widths[at] = Math.max(this.#widths[at] ?? 0, cell.width)
    }
    await this.#file.add(`${xml}</row>`)
  }
}

interface Cell {
  xml: string
  width: number
}

function textCell(value: string, style: number): Cell {
  // An apostrophe of its own would be taken for a guard when it is read.
  const text = value.trimStart().startsWith("'") ? guarded(value) : value
  const escaped = text
    .replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
  return { xml: `s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped}</t></is></c>`, width: text.length }
}

/** The zone of an order's address, or UTC if it is not known for sure. */
function zoneOf(row: unknown): string {
  const address = valueAt(row, 'dropoff.address')
  const postalCode =
    typeof address === 'string'
      ? /\b(\d{5})(?:-\d{4})?\s*$/.exec(address)?.[1]
      : valueAt(row, 'dropoff.address.postalCode')
  if (typeof postalCode !== 'string') return 'UTC'
  const { zones, sure } = zonesOfStop({ postalCode })
  return sure === 'yes' && zones[0] !== undefined ? zones[0] : 'UTC'
}

function wallTime(value: string, zone: string): { serial: number; zone: string } | undefined {
  const atMs = Math.round(Date.parse(value) / 1_000) * 1_000
  if (!Number.isFinite(atMs) || atMs < 0) return undefined
  const { year, month, day, hour, minute, second } = localTimeOf(atMs, zone)
  const wallMs = Date.UTC(year, month - 1, day, hour, minute, second)
  const offset = Math.round((wallMs - atMs) / 60_000)
  const sign = offset < 0 ? '-' : '+'
  const clock = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
  return {
    serial: wallMs / 86_400_000 + 25_569,
    zone: offset === 0 && zone === 'UTC' ? 'UTC' : `${zone} ${sign}${clock}`,
  }
}

function columnName(index: number): string {
  let letters = ''
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}
