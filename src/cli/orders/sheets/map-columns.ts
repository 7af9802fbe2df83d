import { DeliveryCreate, isRequestField } from '../../../contract/index.js'
import { readName } from '../../../shared/sheet-columns.js'
import { trimmed } from '../../../shared/texts.js'
import { timeFault, valueFault } from './column-values.js'

/** A header with the rows below it. Of columns of one name with different values, each has its number behind it. */
export class Table {
  readonly names: readonly string[]
  readonly #numbered = new Set<string>()

  constructor(
    header: readonly string[],
    readonly rows: readonly (readonly string[])[],
  ) {
    const names = header.map((name) => trimmed(name.replace(/\s+/g, ' ')))
    this.names = names.map((name, index) => {
      const places = [...names.keys()].filter((at) => names[at]?.toLowerCase() === name.toLowerCase())
      const differ = rows.some((row) => new Set(places.map((at) => trimmed(row[at] ?? '')).filter(Boolean)).size > 1)
      if (name === '' || places.length === 1 || !differ) return name
      const numbered = `${name} (${places.indexOf(index) + 1})`
      this.#numbered.add(numbered)
      return numbered
    })
  }

  named(wanted: string): string | undefined {
    const folded = wanted.toLowerCase()
    return this.names.find((name) => name === wanted) ?? this.names.find((name) => name.toLowerCase() === folded)
  }

  /** The column of a form that is most about the delivery. */
  best(form: RegExp, isFree: (name: string) => boolean = () => true): string | undefined {
    return this.#ranked(form, isFree)[0]
  }

  /** The columns of a form that are as much about the delivery as the best one. */
  allOf(form: RegExp, isFree: (name: string) => boolean): string[] {
    const found = this.#ranked(form, isFree)
    return found.filter((name) => deliveryRank(name) === deliveryRank(found[0] ?? ''))
  }

  /** The columns of a form as they stand. */
  allNamed(form: RegExp, isFree: (name: string) => boolean): string[] {
    return this.names.filter((name) => !this.#numbered.has(name) && form.test(readName(name)) && isFree(name))
  }

  #ranked(form: RegExp, isFree: (name: string) => boolean): string[] {
    return this.allNamed(form, isFree).sort((one, other) => deliveryRank(one) - deliveryRank(other))
  }

  /** The values of a column, or of all that are joined. */
  values(column: string): string[] {
    return (this.names.includes(column) ? [column] : column.split('+')).flatMap((part) => {
      const at = this.names.indexOf(this.named(part) ?? part)
      return this.rows.map((row) => trimmed(row[at] ?? '').replace(/^'(?=[\d+])/, '')).filter((value) => value !== '')
    })
  }

  at(row: readonly string[], column: string): string {
    return trimmed(row[this.names.indexOf(this.named(column) ?? column)] ?? '')
  }

  /** The first values of a column or of several, for a person. */
  shown(column: string): string[] {
    const parts = this.names.includes(column) ? [column] : column.split('+')
    const values = this.rows.map((row) =>
      parts
        .map((part) => this.at(row, part))
        .filter((value) => value !== '')
        .join(' '),
    )
    return [...new Set(values.filter((value) => value !== ''))].slice(0, 3)
  }

  /** Columns of one name with different values: the sheet does not say which is meant. */
  doubts(unmapped: readonly string[]): string[] {
    const names = unmapped.filter((name) => this.#numbered.has(name))
    if (names.length === 0) return []
    const shown = names.slice(0, 6).map((name) => `"${name}" (${this.shown(name)[0] ?? ''})`)
    return [`Columns have the same name and different values: ${shown.join(', ')}. --map "${names[0]}=FIELD" maps one`]
  }
}

function deliveryRank(name: string): number {
  return /\b(?:ship|shipping|deliver|delivery|drop ?off|recipient)\b/.test(readName(name)) ? 0 : 1
}

/** The pairs of a mapping as they are found. */
export class Pairs {
  readonly columns = new Map<string, string>()
  readonly #doubts: { column: string; text: string }[] = []
  readonly taken: Set<string>
  readonly fields: Set<string>

  constructor(private readonly table: Table) {
    this.taken = new Set(table.names.filter((name) => name !== '' && isRequestField(DeliveryCreate, name)))
    this.fields = new Set(this.taken)
  }

  isFree(column: string): boolean {
    return !this.taken.has(column)
  }

  has(field: string): boolean {
    return [...this.fields].some((known) => known === field || known.startsWith(`${field}.`))
  }

  /** Adds a pair that a person has named. */
  take(column: string, given: string): void {
    this.fields.add(given.replace(/:\w+$/, ''))
    for (const part of this.table.named(column) === undefined ? column.split('+') : [column])
      this.taken.add(this.table.named(trimmed(part)) ?? part)
    this.columns.set(column, given)
  }

  /** Adds a pair, unless its field or one of its columns is taken, or its values are of another kind. */
  add(column: string, given: string): void {
    const field = given.replace(/:\w+$/, '')
    const parts = column.split('+')
    if (this.has(field) || parts.some((part) => this.taken.has(part))) return
    if (/Cents$/.test(field) && otherCurrency.test(column)) {
      this.doubt(`"${column}" is not mapped to ${field}: it names another currency than US dollars`)
      return
    }
    const fault =
      this.table.rows.length === 0
        ? undefined
        : field.startsWith('timeWindows.')
          ? timeFault(
              parts.map((part) => this.table.values(part)),
              field,
              given,
            )
          : valueFault(
              parts.flatMap((part) => this.table.values(part)),
              field,
              given,
            )
    if (fault !== undefined && field !== 'dropoff.contactPhone') {
      if (fault !== '') this.#doubts.push({ column, text: `"${column}" is not mapped to ${field}: ${fault}` })
      return
    }
    this.take(column, given)
    if (fault !== undefined) this.doubt(`"${column}": ${fault}`)
  }

  doubt(text: string): void {
    this.#doubts.push({ column: '', text })
  }

  /** The doubts about columns that have found no other field. */
  get doubts(): string[] {
    return this.#doubts.flatMap(({ column, text }) => (this.columns.has(column) ? [] : [text]))
  }

  valuesOf(field: string): string[] {
    return this.columnsOf(field).flatMap((column) => this.table.values(column))
  }

  columnsOf(field: string): string[] {
    return [...this.columns].flatMap(([column, given]) =>
      given.replace(/:\w+$/, '') === field
        ? this.table.named(column) === undefined
          ? column.split('+')
          : [column]
        : [],
    )
  }
}

const otherCurrency =
  /[€£¥₹]|\b(?:EUR|GBP|CAD|AUD|NZD|MXN|CHF|JPY|CNY|INR|BRL|SEK|NOK|DKK|PLN|euros?|pounds sterling|pesos?)\b/i
