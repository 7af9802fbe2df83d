import type { NamedColumn } from './column-names.js'

/** A row that cannot be read. */
export interface FailedRow {
  line: number
  problem: string
  sheet?: string | undefined
  place?: string | undefined
  hint?: string | undefined
  clientOrderReference?: string | undefined
  given?: unknown
  unread?: readonly string[] | undefined
}

/** The cells of a row by column, or why they cannot be read. */
export type SheetRow =
  | { line: number; values: string[]; sheet?: string | undefined; place?: ((index?: number) => string) | undefined }
  | FailedRow

/** How the cells of a column become one when several rows are one order. */
type Joining = 'equal' | 'list' | 'sum' | 'count'

const joinings: Readonly<Record<string, Joining>> = {
  'package.description': 'list',
  'package.contains': 'list',
  'package.itemsCount': 'count',
  'package.valueCents': 'sum',
  'package.weightGrams': 'sum',
}

interface OpenOrder {
  line: number
  sheet: string | undefined
  place: ((index?: number) => string) | undefined
  values: string[]
  /** The cells of its rows by column, for columns that are summed. */
  parts: string[][]
}

/**
 * Joins rows of one order: exports of shops have a row an item, and the order's own columns in the first. A row with
 * the reference of the row above belongs to it if its other columns are empty or the same, those of items aside.
 */
export class ItemRows {
  /** The number of orders that several rows were. */
  merged = 0
  #columns: readonly NamedColumn[] = []
  #reference = -1
  #open: OpenOrder | undefined

  begin(columns: readonly NamedColumn[], _header: readonly string[]): void {
    this.#columns = columns
    this.#reference = columns.findIndex(({ path }) => path === 'clientOrderReference')
  }

  /** Takes a row, and gives those that are complete. */
  push(row: SheetRow): SheetRow[] {
    if (this.#reference === -1) return [row]
    if (!('values' in row)) return [...this.end(), row]
    const open = this.#open
    if (open !== undefined && this.#belongs(open, row.values)) {
      open.parts.push(row.values)
      for (const [index, value] of row.values.entries())
        if (value !== '' && (open.values[index] ?? '') === '') open.values[index] = value
      return []
    }
    const complete = this.end()
    this.#open = { line: row.line, sheet: row.sheet, place: row.place, values: row.values, parts: [[...row.values]] }
    return complete
  }

  end(): SheetRow[] {
    const open = this.#open
    this.#open = undefined
    if (open === undefined) return []
    if (open.parts.length === 1) return [{ line: open.line, sheet: open.sheet, place: open.place, values: open.values }]
    this.merged++
    return [this.#joined(open)]
  }

  #belongs(open: OpenOrder, values: readonly string[]): boolean {
    const reference = values[this.#reference]?.trim() ?? ''
    if (reference === '' || reference !== open.values[this.#reference]?.trim()) return false
    const isSame = this.#columns.every(({ path }, index) => {
      const value = values[index]?.trim() ?? ''
      return joinings[path] !== undefined || value === '' || value === open.values[index]?.trim()
    })
    // Rows that are equal in everything are one order that was entered twice, as before.
    return isSame && values.some((value, index) => value !== (open.parts.at(-1)?.[index] ?? ''))
  }

  /** Whether the first row is the order's own, without an item, and has the sum of those below it, as eBay writes it. */
  #hasSum(parts: readonly string[][], index: number): boolean {
    const [first, ...others] = parts
    const isWithoutItem = this.#columns.some(
      ({ path }, at) => path === 'package.description' && first?.[at] === '' && others.every((row) => row[at] !== ''),
    )
    const own = first?.[index] ?? ''
    return (
      isWithoutItem &&
      own !== '' &&
      Number(sumOf([own])?.replace('$', '')) === Number(sumOf(others.map((row) => row[index] ?? ''))?.replace('$', ''))
    )
  }

  #joined({ line, sheet, place, values, parts }: OpenOrder): SheetRow {
    const made = [...values]
    for (const [index, { path, name }] of this.#columns.entries()) {
      const joining = joinings[path] ?? 'equal'
      const cells = parts.map((row) => row[index]?.trim() ?? '').filter((cell) => cell !== '')
      if (joining === 'equal' || cells.length < 2) continue
      const distinct = [...new Set(cells)]
      if (joining === 'list') made[index] = distinct.join(path === 'package.contains' ? ';' : ', ')
      else if (joining === 'count' || distinct.length > 1 || /item|unit|each/i.test(name)) {
        const sum = sumOf(this.#hasSum(parts, index) ? cells.slice(1) : cells)
        if (sum === undefined) {
          const clientOrderReference = values[this.#reference]
          const shown = distinct.map((cell) => `"${cell.slice(0, 20)}"`).join(', ')
          return {
            line,
            sheet,
            place: place?.(this.#columns[index]?.indexes[0]),
            problem: `, column ${name}: ${shown} of several rows cannot be added up`,
            clientOrderReference,
          }
        }
        made[index] = sum
      }
    }
    return { line, sheet, place, values: made }
  }
}

/** The sum of whole numbers or amounts, in the form of the first; `undefined` for other texts. */
function sumOf(cells: readonly string[]): string | undefined {
  const amounts = cells.map((cell) => /^(\$?)\s*((?:\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.(\d{1,2}))?)$/.exec(cell))
  if (amounts.some((amount) => amount === null)) return undefined
  const hundredths = amounts.reduce(
    (sum, amount) => sum + Math.round(Number((amount?.[2] ?? '').replaceAll(',', '')) * 100),
    0,
  )
  const isMoney = amounts.some((amount) => amount?.[1] === '$' || amount?.[3] !== undefined)
  return `${amounts.some((amount) => amount?.[1] === '$') ? '$' : ''}${isMoney ? (hundredths / 100).toFixed(2) : hundredths / 100}`
}

const footer =
  /^(?:(?:grand|sub)[ -]?totals?|totals?|sums?|summe|gesamt|total général|end of (?:report|file|list)|page \d+(?: of \d+)?)\s*:?$|^(?:grand|sub)?[ -]?totals?\s*:?\s*[$€£]?\s*\d.*$|^(?:exported|generated|downloaded|printed) (?:by|on|at|from)\b.*$|^\d[\d,.]*\s+(?:record|row|order|item)(?:s|\(s\))?\s+(?:downloaded|exported|found|total|in total)\b.*$|^(?:records?|rows?|orders?|exported|generated|downloaded|printed)(?:\(s\))?(?: (?:on|by|at|from|downloaded|exported|count))?\s*:.*$|^(?:average|mean|count|prepared|created|printed)(?: (?:by|on|at)\b.*)?$|^\(\d+ rows?\)$|^\*\s.*$|^[a-z][a-z ]{2,30}\s?:\s.+$/i

/** Columns in which a line of totals has a value. */
const summed = /cents$|count$|grams$/i

/** Whether a record is a total or a note at the end of an export: no order has only these. */
export function isFooter(cells: readonly string[], columns: readonly NamedColumn[]): boolean {
  const at = cells.findIndex((cell) => cell.trim() !== '')
  const first = cells[at]?.trim() ?? ''
  // `2,record(s) downloaded` of eBay is one sentence in two cells.
  const isTwo = /^\d+$/.test(first) && footer.test(`${first} ${cells[at + 1]?.trim() ?? ''}`)
  if (at === -1 || !(isTwo || footer.test(first))) return false
  const others = columns.filter(
    ({ path, indexes }) => !summed.test(path) && !indexes.includes(at) && !(isTwo && indexes.includes(at + 1)),
  )
  const texts = others.flatMap(({ indexes }) => indexes.map((index) => (cells[index] ?? '').trim()))
  const given = texts.filter((text) => text !== '')
  if (given.length === 0) return others.length > 0
  // A table of a spreadsheet counts or adds up any column below it.
  return (
    /\btotals?\b/i.test(first) &&
    given.length * 2 < texts.length &&
    given.every((text) => /^\$?-?\d[\d.,]*$/.test(text))
  )
}
