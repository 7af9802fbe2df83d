import type { InputRow } from '../../bulk/index.js'
import { rangesText, sentence } from '../../shared/texts.js'
import type { Notices } from '../output/notices.js'

/** The number of kinds that are said one by one, and of values beside the first. */
const shownKinds = 30
const shownValues = 3

interface Doubt {
  text: string
  places: Place[]
  /** Other values of which the same is said. */
  values: Set<string>
}

type Place = Pick<InputRow, 'row' | 'line' | 'sheet'>

/** What a dry run doubts, gathered while rows are read and said once at its end, each with the lines that have it. */
export class Doubts {
  readonly #kinds = new Map<string, Doubt>()

  /** Begins a new reading of the rows. */
  begin(): void {
    this.#kinds.clear()
  }

  /**
   * @param quoting the part of the text that quotes the value, by which texts that are otherwise the same are of one kind
   */
  add(text: string, place?: Place, quoting = ''): void {
    const value = /"[^"]*"/.exec(quoting)?.[0]
    const kind = value === undefined ? text : text.replace(quoting, quoting.replace(value, '…'))
    let doubt = this.#kinds.get(kind)
    if (doubt === undefined) {
      doubt = { text, places: [], values: new Set() }
      this.#kinds.set(kind, doubt)
    }
    if (place !== undefined) doubt.places.push(place)
    if (text !== doubt.text && value !== undefined && doubt.values.size <= shownValues) doubt.values.add(value)
  }

  /** Says all of it; nothing if there is none. */
  say(notices: Pick<Notices, 'warn'>): void {
    if (this.#kinds.size === 0) return
    const rows = new Set([...this.#kinds.values()].flatMap(({ places }) => places.map(({ row, line }) => line ?? row)))
    const of = rows.size === 0 ? '' : `, in ${rows.size === 1 ? '1 row' : `${rows.size.toLocaleString('en-US')} rows`}`
    notices.warn(`To check before the run${of}:`)
    const inOrder = [...this.#kinds.values()].sort((one, other) => firstLine(one) - firstLine(other))
    for (const doubt of inOrder.slice(0, shownKinds)) notices.warn(wordsOf(doubt))
    const left = this.#kinds.size - shownKinds
    if (left > 0) notices.warn(`${left.toLocaleString('en-US')} more of other kinds.`)
  }
}

function firstLine({ places: [first] }: Doubt): number {
  return first === undefined ? 0 : (first.line ?? first.row)
}

function wordsOf({ text, places, values }: Doubt): string {
  const [first] = places
  const others = [...values].slice(0, shownValues)
  const more = others.length === 0 ? '' : ` Also ${others.join(', ')}${values.size > shownValues ? ', …' : ''}.`
  const what = `${sentence(text)}${more}`
  return first === undefined ? what : `${placesText(places)}: ${what}`
}

/** `Line 3`, `Lines 3-5, 9`, `Orders, rows 3-5`. */
function placesText(places: readonly Place[]): string {
  const [first] = places
  const numbers = [...new Set(places.map(({ line, row }) => line ?? row))].sort((one, other) => one - other)
  const which = rangesText(numbers)
  const isOne = numbers.length === 1
  if (first?.sheet !== undefined) return `${first.sheet}, ${isOne ? 'row' : 'rows'} ${which}`
  return `${first?.line === undefined ? 'Row' : 'Line'}${isOne ? '' : 's'} ${which}`
}
