import {
  DeliveryCreate,
  isRequestField,
  itemsCountOf,
  namedUnit,
  phoneOf,
  postalCodeOf,
  type Unit,
  UsageError,
  withUnits,
} from '../../../contract/index.js'
import {
  isGiftColumn,
  isNoteColumn,
  isOtherTime,
  isSaying,
  looksLikeTime,
  readName,
} from '../../../shared/sheet-columns.js'
import { isEndedState, stateColumnOf } from '../../../shared/sheet-states.js'
import { foldedText, trimmed } from '../../../shared/texts.js'
import { citylessWarning } from '../../bulk/text-doubts.js'
import {
  addressParts,
  driverNote,
  type KnownShop,
  knownShops,
  likelyNames,
  otherCities,
  timeNames,
} from './known-shops.js'

/** What `--map-file` takes. */
export interface ProposedMap {
  columns: Record<string, string>
  values?: Record<string, unknown>
  leaveOut?: Record<string, readonly string[]>
  usPhones?: true
  usTips?: true
  usTimes?: 'store'
  dayFirst?: true
  encoding?: string
  skip?: number
  sheet?: string
}

/** A mapping of a table, and what a person has to know of it. */
export interface Proposal {
  map: ProposedMap
  /** The program whose export it is, if it is known. */
  shop: string | undefined
  /** Each pair with the first values of its columns. */
  pairs: readonly { column: string; field: string; values: readonly string[] }[]
  doubts: readonly string[]
  /** Columns that are in no pair, with their first values. */
  leftOut: readonly { column: string; values: readonly string[] }[]
  /** Required fields without a column or a value. */
  missing: readonly string[]
}

/** What a person has said beforehand: pairs by their columns, and values of all orders. */
export interface Given {
  columns?: ReadonlyMap<string, string>
  values?: ReadonlyMap<string, unknown>
  leaveOut?: ReadonlyMap<string, readonly string[]> | undefined
}

const required = [
  'clientOrderReference',
  'pickup.storeReference',
  'dropoff.contactName',
  'dropoff.contactPhone',
  'dropoff.address',
] as const

/** The number of rows that are looked at. */
const lookedAt = 500

/** How much a row looks like the header of a table of orders. */
export function headerLikeness(cells: readonly string[]): number {
  const names = cells.map(plain)
  const known = knownShops.flatMap(({ columns }) =>
    columns.flatMap(([joined]) => joined.split('+').map((one) => plain(one.replace(/\?$/, '')))),
  )
  return names.filter(
    (name, index) =>
      name !== '' &&
      (known.includes(name) ||
        isRequestField(DeliveryCreate, trimmed(cells[index] ?? '')) ||
        likelyNames.some(([form]) => form.test(name)) ||
        [...addressParts, otherCities].some((form) => form.test(name))),
  ).length
}

/** Proposes the mapping of a table by its header and the values below it. */
export function proposeMap(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  given: Given = {},
): Proposal {
  const table = new Table(header, rows.slice(0, lookedAt))
  const pairs = new Pairs(table)
  for (const [column, field] of given.columns ?? []) pairs.take(column, field)
  for (const path of given.values?.keys() ?? []) pairs.fields.add(path)
  const shop = knownShops.find(({ signs }) => signs.every((sign) => table.named(sign) !== undefined))
  for (const [joined, field] of shop?.columns ?? []) addKnown(table, joined, (column) => pairs.add(column, field))
  addLikely(table, pairs, shop)
  const { columns } = pairs
  const phones = pairs.valuesOf('dropoff.contactPhone')
  const times = [...columns].flatMap(([column, field]) =>
    field.startsWith('timeWindows.') ? table.values(column) : [],
  )
  const left = leaveOut(table, shop, given.leaveOut)
  const map: ProposedMap = {
    columns: Object.fromEntries(columns),
    ...(given.values === undefined || given.values.size === 0 ? {} : { values: Object.fromEntries(given.values) }),
    ...(left.size === 0 ? {} : { leaveOut: Object.fromEntries(left) }),
    ...(phones.some((phone) => !/^\+\d{8,15}$/.test(phone)) ? { usPhones: true as const } : {}),
    ...([...columns.values()].includes('tipAmountCents') ? { usTips: true as const } : {}),
    ...(times.some((time) => !hasZone(time)) ? { usTimes: 'store' as const } : {}),
    ...(times.length > 0 && areDayFirst(table.names.flatMap((name) => table.values(name)))
      ? { dayFirst: true as const }
      : {}),
  }
  const unmapped = table.names.filter((name) => name !== '' && !pairs.taken.has(name) && !left.has(name))
  const open = openTimes(pairs, table, unmapped)
  return {
    map,
    shop: shop?.name,
    pairs: [...columns].map(([column, field]) => ({ column, field, values: table.shown(column) })),
    doubts: [
      ...pairs.doubts,
      ...table.doubts(unmapped),
      ...openDoubts(pairs, table, unmapped, open),
      ...lineDoubts(pairs, table),
      ...cityDoubts(pairs, table, unmapped),
    ],
    leftOut: unmapped.map((column) => ({ column, values: table.shown(column) })),
    missing: [
      ...required.filter((field) => !pairs.has(field)),
      ...(open.length > 0 && !pairs.has('timeWindows') ? ['timeWindows.dropoff'] : []),
    ],
  }
}

/** A header with the rows below it. Of columns of one name with different values, each has its number behind it. */
class Table {
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

  #ranked(form: RegExp, isFree: (name: string) => boolean): string[] {
    return this.names
      .filter((name) => !this.#numbered.has(name) && form.test(plain(name)) && isFree(name))
      .sort((one, other) => deliveryRank(one) - deliveryRank(other))
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

  /** Columns of one name with different values, of which the sheet does not say which is meant. */
  doubts(unmapped: readonly string[]): string[] {
    const names = unmapped.filter((name) => this.#numbered.has(name))
    if (names.length === 0) return []
    const shown = names.slice(0, 6).map((name) => `"${name}" (${this.shown(name)[0] ?? ''})`)
    return [`Columns have the same name and different values: ${shown.join(', ')}. --map "${names[0]}=FIELD" maps one`]
  }
}

function deliveryRank(name: string): number {
  return /\b(?:ship|shipping|deliver|delivery|drop ?off|recipient)\b/.test(plain(name)) ? 0 : 1
}

/** The pairs of a mapping as they are found. */
class Pairs {
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

  /** What is doubted of columns that have found no other field. */
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

/** A name for comparison: `shipAddress1`, `ship_address_1` and `Ship Address 1` are alike, accents aside. */
function plain(name: string): string {
  return foldedText(trimmed(name).replace(/(?<=[a-z\d])(?=[A-Z])/g, ' '))
    .replace(/ \(\d+\)$/, '')
    .replace(/[_\-./#:()*]+/g, (marks) => (marks.includes('#') ? ' # ' : ' '))
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:checkout form|custom fields?|form fields?|order form|note attributes?) (?=.)/, '')
}

/** Adds joined columns of a known export, if it has all that it needs. */
function addKnown(table: Table, joined: string, add: (column: string) => void): void {
  const parts = joined
    .split('+')
    .map((part) => ({ found: table.named(part.replace(/\?$/, '')), isOptional: part.endsWith('?') }))
  if (parts.every(({ found, isOptional }) => isOptional || found !== undefined))
    add(parts.flatMap(({ found }) => found ?? []).join('+'))
}

function addLikely(table: Table, pairs: Pairs, shop: KnownShop | undefined): void {
  const isFree = (name: string) => pairs.isFree(name)
  const first = table.best(
    /^(?!.*\b(?:bill|billing|buyer|driver|store|sender)\b).*\b(?:first|given|vor|fore) ?name$|^(?:prenom|vorname|primer nombre)$/,
    isFree,
  )
  const last = table.best(
    /^(?!.*\b(?:bill|billing|buyer|driver|store|sender)\b).*\b(?:last|family|sur|nach) ?name$|^(?:nachname|apellidos?|cognome)$/,
    isFree,
  )
  if (first !== undefined && last !== undefined) pairs.add(`${first}+${last}`, 'dropoff.contactName')
  addAddress(table, pairs)
  const whole = table.best(
    /^(?:ship|deliver|send|drop ?off)(?: to)?$/,
    (name) => isFree(name) && table.values(name).some((value) => /\b\d{5}(?:-\d{4})?\b\W*\D*$/.test(value)),
  )
  if (whole !== undefined) pairs.add(whole, 'dropoff.address')
  // A shop's other columns are about payment and shipping.
  addTimes(table, pairs, (name) => shop === undefined || ofDelivery.test(plain(name)))
  for (const [form, field] of likelyNames) {
    // Only what an order cannot do without is guessed of a shop, and what its form asked for the driver.
    if (shop !== undefined && !/^(?:clientOrderReference|dropoff\.contact)/.test(field) && form !== driverNote) continue
    const name = table.best(form, isFree)
    if (name === undefined) continue
    const unit = namedUnit(name, field) ?? (field === 'package.valueCents' ? 'dollars' : undefined)
    pairs.add(name, unit === undefined || field === 'tipAmountCents' ? field : `${field}:${unit}`)
  }
  const number = pairs.has('clientOrderReference') ? undefined : table.best(/^(?:no|nr|id|#|number)$/, isFree)
  if (number !== undefined) pairs.add(number, 'clientOrderReference')
}

/** Adds the columns of an address: all of its units, and one for each other part. */
function addAddress(table: Table, pairs: Pairs): void {
  const isFree = (name: string) => pairs.isFree(name)
  const [street, unit, city, ...others] = addressParts
  const first = street === undefined ? undefined : table.best(street, isFree)
  if (first === undefined || unit === undefined || city === undefined) return
  const units = table.allOf(unit, isFree)
  const town = table.best(city, isFree) ?? table.best(otherCities, isFree)
  const parts = [first, ...units, town, ...others.map((form) => table.best(form, isFree))]
  pairs.add([...new Set(parts.flatMap((part) => part ?? []))].join('+'), 'dropoff.address')
}

/** Adds the columns that say when an order is wanted: a day and a time of day may stand in two of them. */
function addTimes(table: Table, pairs: Pairs, isOfDelivery: (name: string) => boolean): void {
  // `Deliver to` may hold times or names.
  const isFree = (name: string) => pairs.isFree(name) && isOfDelivery(name) && areTimes(table.values(name))
  const [window, named, given, end] = [timeNames.window, timeNames.date, timeNames.start, timeNames.end].map((form) =>
    table.best(form, isFree),
  )
  // What is called a date or a time alone may be of the order: it is taken beside another one, or if it is a window.
  const [bareDate, bareTime] = [timeNames.bareDate, timeNames.bareTime].map((form) => table.best(form, isFree))
  const isBareWindow = bareTime !== undefined && table.values(bareTime).some(isRange)
  const isTimed = window !== undefined || given !== undefined || end !== undefined || isBareWindow
  const date = named ?? (isTimed || bareTime !== undefined ? bareDate : undefined)
  const start =
    given ?? (end === undefined && window === undefined && (date !== undefined || isBareWindow) ? bareTime : undefined)
  const field = 'timeWindows.dropoff'
  const hasDays = (name: string | undefined) => name !== undefined && table.values(name).some(hasDay)
  const dated = (name: string) => (date === undefined || hasDays(name) ? name : `${date}+${name}`)
  if (window !== undefined) pairs.add(dated(window), field)
  else if (start !== undefined && table.values(start).some(isRange)) pairs.add(dated(start), field)
  else if (start === undefined && end === undefined && date !== undefined && table.values(date).some(isDayAndRange))
    pairs.add(date, field)
  else {
    if (start !== undefined) pairs.add(dated(start), `${field}.start`)
    else if (date !== undefined && table.values(date).some(isTime)) pairs.add(date, `${field}.start`)
    // A day is joined with one column alone.
    if (end !== undefined) pairs.add(hasDays(end) || start === undefined ? dated(end) : end, `${field}.end`)
  }
}

const ofDelivery = /deliver|drop ?off|\b(?:slot|window|arriv\w*|wanted|requested|promised)\b/

/** Whether most of the values of a column are times; those of a table without rows may be. */
function areTimes(values: readonly string[]): boolean {
  const times = values.filter((value) => (formOf('timeWindows.dropoff', '') ?? isTime)(value))
  return values.length === 0 || times.length * 2 > values.length
}

/** Columns that no field takes and whose values are times: without them, orders go out now. */
function openTimes(pairs: Pairs, table: Table, unmapped: readonly string[]): string[] {
  const timed = [...pairs.columns].flatMap(([column, field]) => (field.startsWith('timeWindows.') ? [column] : []))
  if (timed.some((column) => table.values(column).some(hasDay))) return []
  return unmapped.filter((name) => {
    const values = table.values(name)
    const times = values.filter(looksLikeTime)
    return (
      times.length * 2 > values.length && !isOtherTime(readName(name)) && !(timed.length > 0 && !values.some(hasDay))
    )
  })
}

/** What is said of columns that are in no pair: when orders are wanted, and what a driver may have to know. */
function openDoubts(pairs: Pairs, table: Table, unmapped: readonly string[], times: readonly string[]): string[] {
  const shown = (name: string) => `"${name}" (${table.shown(name)[0]?.slice(0, 40) ?? ''})`
  const notes = unmapped.filter((name) => isNoteColumn(readName(name)) && table.values(name).some(isSaying))
  const field = 'dropoff.instructions'
  const kept = pairs.columnsOf(field)
  const joined = (name: string) => [...kept, name].join('+')
  return [
    ...(times.length === 0
      ? []
      : [`${times.map(shown).join(', ')} may say when orders are wanted; without a window they go out now`]),
    ...notes.map((name) => {
      const what = isGiftColumn(readName(name))
        ? 'is a note of a gift, and is left out'
        : 'may hold what a driver needs, and is left out'
      return `${shown(name)} ${what}: --map "${joined(name)}=${field}" takes it`
    }),
  ]
}

function hasZone(time: string): boolean {
  return /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}|\b[ECMP][SD]T)$/i.test(time)
}

const cannotDoWithout: readonly string[] = required

/** Why values are not those of a field: more than half of them are in none of its forms. Empty if that needs no word. */
function valueFault(values: readonly string[], field: string, given: string): string | undefined {
  if (values.length === 0)
    return field === 'dropoff.instructions'
      ? undefined
      : cannotDoWithout.includes(field)
        ? 'it is empty in every row'
        : ''
  const form = formOf(field, given)
  const wrong = form === undefined ? undefined : values.filter((value) => !form(value))
  if (wrong === undefined || wrong.length * 2 <= values.length) return undefined
  return `"${wrong[0]?.slice(0, 40)}" is ${field === 'dropoff.contactPhone' ? 'no phone of the United States' : 'none'}`
}

/** A day and a time are joined: each of them has to be one, so that a name beside a day is none. */
function timeFault(parts: readonly (readonly string[])[], field: string, given: string): string | undefined {
  return (
    parts.flatMap((values) => valueFault(values, field, given) ?? []).find((fault) => fault !== '') ??
    (parts.every((values) => values.length === 0) ? '' : undefined)
  )
}

function formOf(field: string, given: string): ((value: string) => boolean) | undefined {
  const unit = (/:(\w+)$/.exec(given)?.[1] ?? (field === 'tipAmountCents' ? 'dollars' : undefined)) as Unit | undefined
  if (/Cents$|Grams$/.test(field))
    return (value) => {
      try {
        const [, name = ''] = /\.?(\w+)$/.exec(field) ?? []
        withUnits({ [name]: value.replace(/^\((.*)\)$/, '$1') }, new Map([[name, unit ?? 'cents']]))
        return true
      } catch (error) {
        if (error instanceof UsageError) return /^[-\d.,$\s%]+$/.test(value)
        throw error
      }
    }
  if (field === 'package.itemsCount')
    return (value) => itemsCountOf(value) !== undefined && !/\d\s*[x×]\s*\p{L}/iu.test(value)
  if (field === 'dropoff.contactPhone') return (value) => phoneOf(value) !== undefined || /^\+\d{8,15}$/.test(value)
  return field.startsWith('timeWindows.')
    ? (value) => isTime(value) || isRange(value) || hasDay(value) || isHour(value) || looksLikeTime(value)
    : undefined
}

function isTime(value: string): boolean {
  return (
    /^\d{4}[-/]\d{1,2}[-/]\d{1,2}[T ,]+\d{1,2}:\d{2}|^\d{1,2}([/.-])\d{1,2}\1\d{2,4}[, ]+\d{1,2}(?:[:.]\d{2})?/.test(
      value,
    ) || /^(?:\w{3,9},? )?(?:\w{3,9}\.? \d{1,2},? \d{4}|\d{1,2}[ -]\w{3,9}[ -]\d{4}),? .*\d/.test(value)
  )
}

/** Whether some dates begin with their day, and none with its month. */
function areDayFirst(times: readonly string[]): boolean {
  const firsts = times.flatMap((time) => {
    const [, first, second] = /^(\d{1,2})[/.-](\d{1,2})[/.-](?:20)?\d{2}(?![\w/.-])/.exec(time) ?? []
    return first === undefined ? [] : [[Number(first) > 12, Number(second) > 12]]
  })
  return firsts.some(([isDay]) => isDay) && !firsts.some(([, isMonth]) => isMonth)
}

function hasDay(value: string): boolean {
  return /\b\d{4}[-/]\d{1,2}[-/]\d{1,2}\b|\b\d{1,2}([/.-])\d{1,2}\1\d{2,4}\b|\b[a-z]{3,9}\.? \d{1,2},? \d{4}\b/i.test(
    value,
  )
}

function isHour(value: string): boolean {
  return /^\d{1,2}(?::\d{2}){0,2}\s*(?:[ap]\.?m\.?)?$/i.test(value)
}

function isRange(value: string): boolean {
  return /\d\s*(?:[ap]\.?m\.?|Uhr)?\s*(?:[-\u2013\u2014]|to|until|bis)\s*\d{1,2}(?:[:.]\d{2}){0,2}\s*(?:[ap]\.?m\.?|Uhr)?$/i.test(
    value,
  )
}

/** `30.11.2036 15:00 - 17:00`: behind its day is a range of hours. */
function isDayAndRange(value: string): boolean {
  return isTime(value) && isRange(value.replace(/^\S+\s/, ''))
}

/** Columns whose values say that an order is cancelled, picked up or done. */
function leaveOut(table: Table, shop: KnownShop | undefined, given: Given['leaveOut']): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>(given ?? [])
  for (const [column, values] of Object.entries(shop?.leaveOut ?? {})) {
    const name = table.named(column)
    if (name !== undefined && !found.has(name)) found.set(name, values)
  }
  for (const name of table.names) {
    const kind = stateColumnOf(plain(name))
    if (found.has(name) || kind === undefined) continue
    const ended = [...new Set(table.values(name).filter((value) => isEndedState(value, kind)))]
    if (kind === 'time') found.set(name, ['*'])
    else if (ended.length > 0 && kind !== 'kind') found.set(name, ended)
    else if (ended.length > 0 && ended.every((value) => !/deliver|ship/i.test(value))) found.set(name, ended)
  }
  return found
}

const noPlace =
  /\b(?:names?|customer|guest|sender|recipient|company|status|state|province|region|type|method|mode|option|kind|items?|products?|colou?r|size|country|currency|payment|bill(?:ing)?|paid|card|email|channel|source|staff|driver|store|shop|vendor|tags?|ordered by|by)\b/

/** Addresses that have no city, and the columns whose values may be it: words, the same ones for each ZIP code. */
function cityDoubts(pairs: Pairs, table: Table, unmapped: readonly string[]): string[] {
  const parts = pairs.columnsOf('dropoff.address')
  const lineOf = (row: readonly string[]) =>
    parts
      .map((part) => table.at(row, part))
      .filter(Boolean)
      .join(', ')
  const without = table.rows.filter((row) => citylessWarning(lineOf(row)).length > 0)
  if (without.length === 0) return []
  const isPlace = (name: string) => {
    const ofZip = new Map<string, string>()
    return without.every((row) => {
      const [value, zip = ''] = [table.at(row, name), postalCodeOf(lineOf(row))]
      const known = ofZip.get(zip) ?? value
      ofZip.set(zip, known)
      return known.toLowerCase() === value.toLowerCase() && /^\p{L}[\p{L}.' -]{2,30}$/u.test(value)
    })
  }
  const places = unmapped.filter((name) => {
    const read = readName(name)
    return !noPlace.test(read) && !isNoteColumn(read) && stateColumnOf(plain(name)) === undefined && isPlace(name)
  })
  const said = `${without.length} of ${table.rows.length} rows have no city between their street and state or ZIP code`
  const [place] = places
  if (place === undefined) return [said]
  const at = parts.findIndex((part) => addressParts.slice(3).some((form) => form.test(plain(part))))
  const joined = parts.toSpliced(at === -1 ? parts.length : at, 0, place).join('+')
  return [`${said}; "${place}" (${table.shown(place)[0] ?? ''}) may be it: --map "${joined}=dropoff.address"`]
}

/** Rows that lack a value that each order needs; the rows of further items have none. */
function lineDoubts(pairs: Pairs, table: Table): string[] {
  const [reference] = pairs.columnsOf('clientOrderReference')
  const isFirst = (row: readonly string[], index: number) => {
    const above = table.rows[index - 1]
    return reference === undefined || above === undefined || table.at(row, reference) !== table.at(above, reference)
  }
  // Totals and notes at the end fill one cell or two.
  const isOrder = (row: readonly string[]) => row.filter((cell) => trimmed(cell) !== '').length > 2
  const firsts = table.rows.filter((row, index) => isFirst(row, index) && isOrder(row))
  const references = reference === undefined ? [] : firsts.map((row) => table.at(row, reference)).filter(Boolean)
  const repeated = references.length - new Set(references).size
  return [
    ...(repeated === 0
      ? []
      : [`${repeated} of ${firsts.length} orders have the reference ("${reference}") of another one above`]),
    ...['dropoff.contactName', 'dropoff.contactPhone', 'dropoff.address'].flatMap((field) => {
      const parts = pairs.columnsOf(field)
      const without = firsts.filter((row) => parts.every((part) => table.at(row, part) === ''))
      if (parts.length === 0 || without.length === 0) return []
      return [`${without.length} of ${firsts.length} orders have no ${field}`]
    }),
  ]
}
