import { joinedCells, type NamedColumn } from './column-names.js'

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

/** Whether a cell is an amount or a count that stands once for several rows: it is that of the first, or of them all. */
export function isOnce({ path, indexes }: NamedColumn, filled: ReadonlySet<number> | undefined): boolean {
  if (filled === undefined || !(joinings[path] !== undefined || path === 'tipAmountCents')) return false
  return indexes.every((index) => filled.has(index))
}

/** Stands between the texts of several columns until all rows of an order are read: cells have no such character. */
const betweenTexts = '\u001f'

/** Texts for the driver: each row of an order may have a part of them. */
function isText(path: string): boolean {
  return /(?:^|\.)instructions$/.test(path)
}

/** The cells of several columns that are one field, in a row that may be one of several of its order. */
export function cellsOfItem(cells: readonly string[], path: string): string {
  return isText(path) ? cells.filter((cell) => cell !== '').join(betweenTexts) : joinedCells(cells, path)
}

type ReadRow = Exclude<SheetRow, FailedRow>

interface OpenOrder {
  reference: string
  rows: SheetRow[]
}

/**
 * Joins rows of one order: exports of shops have a row an item, and the order's own columns in the first or in all. Rows
 * with the reference of the row above are its order's, whose columns are empty or the same in each, those of items and
 * texts aside. If they are not, or one of them cannot be read, nothing of the order is sent.
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
    const reference = this.#referenceOf(row)
    if (this.#open !== undefined && reference === this.#open.reference) {
      this.#open.rows.push(row)
      return []
    }
    const complete = this.end()
    if (reference === '') return [...complete, 'values' in row ? this.#single(row) : row]
    this.#open = { reference, rows: [row] }
    return complete
  }

  #referenceOf(row: SheetRow): string {
    const reference = 'values' in row ? row.values[this.#reference] : row.clientOrderReference
    return reference?.trim() ?? ''
  }

  end(): SheetRow[] {
    const { rows = [], reference = '' } = this.#open ?? {}
    this.#open = undefined
    const [first] = rows
    if (first === undefined) return []
    const read = rows.filter((row): row is ReadRow => 'values' in row)
    // Rows that are equal in everything are one order that was entered twice.
    if (read.length === rows.length && read.every(({ values }) => isSame(values, read[0]?.values ?? [])))
      return read.map((row) => this.#single(row))
    const fault = rows.find((row) => 'problem' in row)
    if (fault !== undefined)
      return [
        { ...fault, line: first.line, place: fault.place ?? `line ${fault.line}`, clientOrderReference: reference },
      ]
    const difference = this.#difference(read, reference)
    if (difference !== undefined) return [difference]
    this.merged++
    return [this.#joined(read)]
  }

  #single(row: ReadRow): ReadRow {
    const values = row.values.map((value, index) => {
      const path = this.#columns[index]?.path ?? ''
      return value.includes(betweenTexts) ? joinedCells(value.split(betweenTexts), path) : value
    })
    return { ...row, values }
  }

  /** The first field that an order has once and that its rows have different values for. */
  #difference(rows: readonly ReadRow[], clientOrderReference: string): FailedRow | undefined {
    for (const [index, { path, name, indexes }] of this.#columns.entries()) {
      if (joinings[path] !== undefined || isText(path)) continue
      const given = rows.filter(({ values }) => values[index]?.trim())
      const [one] = given
      const text = (row: ReadRow | undefined) => row?.values[index]?.trim() ?? ''
      const other = given.find((row) => text(row) !== text(one))
      if (one === undefined || other === undefined) continue
      const [shown, differing] = [one, other].map((row) => `"${text(row).slice(0, 80)}"`)
      const { line = 0, sheet } = rows[0] ?? {}
      return {
        line,
        sheet,
        place: other.place?.(indexes[0]) ?? `line ${other.line}`,
        problem: `, column ${name}: ${differing} is not the ${shown} of line ${one.line}, which has the same reference`,
        hint: 'Nothing of this order is sent. Make its lines say the same, or give each order its own reference.',
        clientOrderReference,
      }
    }
    return undefined
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

  #joined(rows: readonly ReadRow[]): SheetRow {
    const { line = 0, sheet, place } = rows[0] ?? {}
    const parts = rows.map(({ values }) => values)
    const values = this.#columns.map(
      (_, index) => parts.map((row) => row[index] ?? '').find((cell) => cell !== '') ?? '',
    )
    const made = [...values]
    for (const [index, { path, name }] of this.#columns.entries()) {
      const joining = joinings[path] ?? 'equal'
      const cells = parts.map((row) => row[index]?.trim() ?? '').filter((cell) => cell !== '')
      if (isText(path)) made[index] = textsOf(cells, path)
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

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index])
}

/** The texts of the rows of an order, each once. */
function textsOf(cells: readonly string[], path: string): string {
  const texts = cells.flatMap((cell) => cell.split(betweenTexts)).map((text) => text.trim())
  const lower = texts.map((text) => text.toLowerCase())
  return joinedCells(
    texts.filter((_, index) => lower.indexOf(lower[index] ?? '') === index),
    path,
  )
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
