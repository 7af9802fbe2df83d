import { UsageError } from '../../contract/index.js'
import { isNoteColumn, isOtherTime, isSaying, looksLikeTime, readName, toldTime } from '../../shared/sheet-columns.js'
import { isEndedState, isFetchedState, type StateColumn, stateColumnOf } from '../../shared/sheet-states.js'
import { foldedText, trimmed } from '../../shared/texts.js'
import { plainName } from './column-names.js'
import type { CsvRecord } from './csv-line.js'

/** Columns with the values whose orders are left out: `Order Status` with `cancelled`; `*` is any value. */
export type LeftOutValues = ReadonlyMap<string, readonly string[]>

/** An order that was left out, and the cell that said so. */
export interface LeftOutOrder {
  /** The line on which it began. */
  line: number
  /** Its reference, if it has one. */
  clientOrderReference: string | undefined
  /** The name of the column. */
  column: string
  /** The text of the cell. */
  value: string
}

/** Leaves orders out that a column of the sheet says are cancelled, picked up or delivered. */
export class OrdersLeftOut {
  readonly orders: LeftOutOrder[] = []
  readonly #columns: readonly { name: string; index: number; values: ReadonlySet<string> }[]
  #last: string | undefined

  /**
   * @param reference the place of the reference, by which further rows of an order are told
   * @throws UsageError for a column that the header does not have
   */
  constructor(
    header: readonly string[],
    values: LeftOutValues,
    private readonly reference: number | undefined,
  ) {
    const folded = header.map((name) => plainName(name).toLowerCase())
    this.#columns = [...values].map(([name, given]) => {
      const index = folded.indexOf(plainName(name).toLowerCase())
      if (index === -1)
        throw new UsageError(
          `The header has no column "${name.slice(0, 80)}", whose orders are left out by their value`,
          {
            hint: 'Without it, they would be sent. Export it too, or take it out of leaveOut.',
          },
        )
      return { name, index, values: new Set(given.map(plainValue)) }
    })
  }

  /** Whether a row is of an order that is left out; a further row of one, without values of its own, is too. */
  has(cells: readonly string[], line: number): boolean {
    const reference = this.reference === undefined ? '' : trimmed(cells[this.reference] ?? '')
    let isSilent = true
    for (const { name, index, values } of this.#columns) {
      const value = trimmed(cells[index] ?? '')
      if (value === '') continue
      isSilent = false
      if (!values.has('*') && !values.has(plainValue(value))) continue
      if (reference === '' || reference !== this.#last)
        this.orders.push({ line, clientOrderReference: reference || undefined, column: name, value })
      this.#last = reference
      return true
    }
    const isFurther = isSilent && reference !== '' && reference === this.#last
    if (!isFurther) this.#last = undefined
    return isFurther
  }
}

/** Values are compared without case, and whatever parts their words: `partially_refunded`, `Partially refunded`. */
function plainValue(value: string): string {
  return value === '*'
    ? value
    : value
        .toLowerCase()
        .replace(/[\s_-]+/g, ' ')
        .trim()
        .replace('canceled', 'cancelled')
}

const countryName =
  /^(?:(?:ship(?:ping)?|recipient|deliver(?:y)?|drop ?off|customer|destination|to)(?: to)?(?: address)? )?country(?: code| name)?(?: \(shipping\))?$/

/** The place of the column with the country of the addresses; `undefined` if there is none, or it is mapped. */
export function countryColumn(header: readonly string[], mapped: ReadonlySet<number>): number | undefined {
  const index = header.findIndex((name) => {
    const plain = plainName(name)
      .toLowerCase()
      .replace(/[_\-.]+/g, ' ')
    return countryName.test(plain) || plain === 'country code (shipping)'
  })
  return index === -1 || mapped.has(index) ? undefined : index
}

/** The place of the column with the currency of amounts; `undefined` if there is none, or it is mapped. */
export function currencyColumn(header: readonly string[], mapped: ReadonlySet<number>): number | undefined {
  const index = header.findIndex((name) =>
    /^(?:(?:order|shop|store|presentment|payment|total|price) )?(?:currency|wahrung|moneda|divisa|devise|valuta|moeda)(?: code)?$/.test(
      foldedText(plainName(name).replace(/[_\-.]+/g, ' ')),
    ),
  )
  return index === -1 || mapped.has(index) ? undefined : index
}

/** Whether a value of such a column is another currency than the one of orders. */
export function isOtherCurrency(value: string): boolean {
  return !/^(?:|\$|us ?\$|usd|us dollars?|dollars?)$/i.test(trimmed(value))
}

/** The country and its territories, as shops write them. */
const domestic = new Set([
  ...['us', 'usa', 'u.s.', 'u.s.a.', '840', 'united states', 'united states of america', 'the united states'],
  ...['america', 'estados unidos', 'ee.uu.', 'ee. uu.', 'vereinigte staaten', 'états-unis', 'stati uniti'],
  ...['pr', 'pri', 'puerto rico', 'gu', 'gum', 'guam', 'as', 'asm', 'american samoa', 'um'],
  ...['vi', 'vir', 'virgin islands', 'u.s. virgin islands', 'us virgin islands', 'virgin islands (u.s.)'],
  ...['virgin islands, u.s.', 'united states virgin islands', 'mp', 'mnp', 'northern mariana islands'],
])

/** Whether a value of such a column is another country than the one that deliveries go to. */
export function isForeign(value: string): boolean {
  const plain = trimmed(value).toLowerCase()
  return plain !== '' && !domestic.has(plain)
}

/** A cell of a column that no field takes, which says something of its order that changes what is sent. */
export interface TellingCell {
  /** The line on which the row begins. */
  line: number
  /** The sheet of a workbook. */
  sheet: string | undefined
  /** The name of the column. */
  column: string
  /** The text of the cell, or of the line that heads those below it. */
  value: string
  /** That its order is called off, fetched or done; when it is wanted; or what a driver may have to know. */
  says: 'ended' | 'time' | 'told time' | 'note' | 'no time' | 'below ended' | 'below time'
}

/** The values of a column that are looked at before it is taken for one without times. */
const triedValues = 20

/** Finds what columns that are not read say of an order: when it is wanted, if no other column does, and notes. */
export class UnreadColumns {
  #times: { column: string; index: number; tried: number; isTime: boolean }[]
  #notes: { column: string; index: number }[]
  readonly #texts: readonly { column: string; index: number }[]
  readonly #timed: readonly number[]
  readonly #reference: number | undefined
  readonly #window: string
  #last = ''
  /** A line of one text above the rows, such as `Tuesday, December 1` or `Cancelled`. */
  #heading: { text: string; isTime: boolean } | undefined
  readonly #width: number

  /**
   * @param taken the places of the columns that are mapped
   * @param timed those of them that are times
   * @param reference the place of the reference, by which further rows of an order are told
   */
  constructor(
    header: readonly string[],
    taken: ReadonlySet<number>,
    { timed, reference }: { timed: readonly number[]; reference: number | undefined },
    leaveOut: LeftOutValues = new Map(),
  ) {
    this.#timed = timed
    this.#width = header.length
    this.#reference = reference
    this.#window = timed.map((index) => plainName(header[index] ?? '')).join('+')
    const named = new Set([...leaveOut.keys()].map((name) => plainName(name).toLowerCase()))
    const others = header.flatMap((name, index) => {
      const column = plainName(name)
      return column === '' || taken.has(index) || named.has(column.toLowerCase()) ? [] : [{ column, index }]
    })
    this.#notes = others.filter(({ column }) => isNoteColumn(readName(column)))
    this.#texts = this.#notes
    this.#times = others
      .filter((other) => !this.#notes.includes(other) && !isOtherTime(readName(other.column)))
      .map((other) => ({ ...other, tried: 0, isTime: false }))
  }

  /** The cells of a row that say so; a column of notes is said once. */
  cellsOf({ cells, line, sheet }: CsvRecord): TellingCell[] {
    const found: TellingCell[] = []
    const heading = headingIn(cells, this.#width)
    if (heading !== undefined) {
      this.#heading = heading.isTime || heading.isEnded ? heading : undefined
      return found
    }
    const below = { line, sheet, column: '', value: this.#heading?.text ?? '' }
    if (this.#heading?.isTime === false) found.push({ ...below, says: 'below ended' })
    for (const note of this.#notes) {
      const value = trimmed(cells[note.index] ?? '')
      if (!isSaying(value)) continue
      found.push({ line, sheet, column: note.column, value, says: 'note' })
      this.#notes = this.#notes.filter((other) => other !== note)
    }
    const reference = this.#reference === undefined ? '' : trimmed(cells[this.#reference] ?? '')
    const isFurther = reference !== '' && reference === this.#last
    this.#last = reference
    if (isFurther || this.#timed.some((index) => trimmed(cells[index] ?? '') !== '')) return found
    const said = found.length
    if (this.#heading?.isTime === true) found.push({ ...below, says: 'below time' })
    for (const time of this.#times) {
      const value = trimmed(cells[time.index] ?? '')
      if (value === '') continue
      const isTime = looksLikeTime(value)
      if (isTime) found.push({ line, sheet, column: time.column, value, says: 'time' })
      time.isTime ||= isTime
      if (++time.tried === triedValues && !time.isTime) this.#times = this.#times.filter((other) => other !== time)
    }
    for (const { column, index } of this.#texts) {
      const told = toldTime(cells[index] ?? '')
      if (told !== undefined) found.push({ line, sheet, column, value: told, says: 'told time' })
    }
    // Others of the sheet are wanted at a time.
    if (found.length === said && this.#timed.length > 0 && cells.filter((cell) => trimmed(cell) !== '').length > 2)
      found.push({ line, sheet, column: this.#window, value: '', says: 'no time' })
    return found
  }
}

/** The text of a record that has no other, in a table of several columns. */
function headingIn(cells: readonly string[], width: number) {
  if (width < 3) return undefined
  let text = ''
  // Asked of every row: most have a second cell.
  for (const cell of cells) {
    if (cell === '') continue
    const given = trimmed(cell)
    if (given === '') continue
    if (text !== '') return undefined
    text = given
  }
  if (text === '') return undefined
  const bare = text.replace(/\s*:$/, '').replace(/(?<=[a-z])s$/i, '')
  return {
    text,
    isTime: looksLikeTime(text.replace(/\s*:$/, '')),
    isEnded: [bare, text].some((each) => isEndedState(each) || isFetchedState(each, 'kind')),
  }
}

/** Finds orders that a column of the sheet says are ended, where nothing has been said of that column. */
export class EndedOrders {
  readonly #columns: readonly { column: string; index: number; kind: StateColumn }[]

  /** @param taken the places of the columns that are mapped */
  constructor(header: readonly string[], taken: ReadonlySet<number>, leaveOut: LeftOutValues = new Map()) {
    const named = new Set([...leaveOut.keys()].map((name) => plainName(name).toLowerCase()))
    this.#columns = header.flatMap((name, index) => {
      const column = plainName(name)
      const kind = stateColumnOf(foldedText(column.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').replace(/[_\-./:]+/g, ' ')))
      if (kind === undefined || taken.has(index) || named.has(column.toLowerCase())) return []
      return [{ column, index, kind }]
    })
  }

  /** The cell of a row that says so. */
  cellOf({ cells, line, sheet }: CsvRecord): TellingCell | undefined {
    for (const { column, index, kind } of this.#columns) {
      const value = trimmed(cells[index] ?? '')
      if (value === '') continue
      // What is called a type or a method alone may be of anything.
      if ((kind !== 'kind' && isEndedState(value, kind)) || isFetchedState(value, kind))
        return { line, sheet, column, value, says: 'ended' }
    }
    return undefined
  }
}
