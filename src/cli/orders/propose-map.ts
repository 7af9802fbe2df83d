import { DeliveryCreate, isRequestField, namedUnit, phoneOf } from '../../contract/index.js'
import { trimmed } from '../../shared/texts.js'
import { addressParts, type KnownShop, knownShops, likelyNames } from './known-shops.js'

/** What `--map-file` takes. */
export interface ProposedMap {
  columns: Record<string, string>
  usPhones?: true
  usTips?: true
  usTimes?: 'store'
}

/** A mapping of a table, and what a person has to know of it. */
export interface Proposal {
  map: ProposedMap
  /** The program whose export it is, if it is known. */
  shop: string | undefined
  /** Each pair with the first values of its columns. */
  pairs: readonly { column: string; field: string; values: readonly string[] }[]
  doubts: readonly string[]
  /** Columns that are in no pair. */
  leftOut: readonly string[]
  /** Required fields without a column. */
  missing: readonly string[]
}

/** The number of rows that are looked at. */
const lookedAt = 500

/** How much a row looks like the header of a table of orders. */
export function headerLikeness(cells: readonly string[]): number {
  const names = cells.map(plain)
  const known = knownShops.flatMap(({ columns }) =>
    columns.flatMap(([joined]) => joined.split('+').map((one) => plain(one.replace(/\?$/, '')))),
  )
  return names.filter(
    (name) =>
      name !== '' &&
      (known.includes(name) ||
        isRequestField(DeliveryCreate, name) ||
        likelyNames.some(([form]) => form.test(name)) ||
        addressParts.some((form) => form.test(name))),
  ).length
}

/** Proposes the mapping of a table by its header and the values below it. */
export function proposeMap(header: readonly string[], rows: readonly (readonly string[])[]): Proposal {
  const names = header.map(trimmed)
  const looked = rows.slice(0, lookedAt)
  const valuesOf = (name: string) =>
    looked
      .map((row) => trimmed(row[names.indexOf(name)] ?? '').replace(/^'(?=[\d+])/, ''))
      .filter((value) => value !== '')
  const shop = knownShops.find(({ signs }) => signs.every((sign) => columnNamed(names, sign) !== undefined))
  const doubts: string[] = []
  const columns = new Map<string, string>()
  const taken = new Set<string>(names.filter((name) => name !== '' && isRequestField(DeliveryCreate, name)))
  const fields = new Set(taken)
  const add = (column: string, given: string) => {
    const field = given.replace(/:\w+$/, '')
    const parts = column.split('+')
    if (fields.has(field) || parts.some((part) => taken.has(part))) return
    const doubt = valueDoubt(parts.flatMap(valuesOf), field)
    if (doubt !== undefined) {
      doubts.push(`"${column}" is not mapped to ${field}: ${doubt}`)
      return
    }
    fields.add(field)
    for (const part of parts) taken.add(part)
    columns.set(column, given)
  }
  if (shop !== undefined)
    for (const [joined, field] of shop.columns) addKnown(names, joined, (column) => add(column, field))
  addLikely(names, add, shop)
  const phones = columnOf(columns, 'dropoff.contactPhone').flatMap(valuesOf)
  const times = ['start', 'end'].flatMap((end) => columnOf(columns, `timeWindows.dropoff.${end}`)).flatMap(valuesOf)
  return {
    map: {
      columns: Object.fromEntries(columns),
      ...(phones.some((phone) => !/^\+\d{8,15}$/.test(phone)) ? { usPhones: true as const } : {}),
      ...(fields.has('tipAmountCents') && columnOf(columns, 'tipAmountCents').length > 0
        ? { usTips: true as const }
        : {}),
      ...(times.some((time) => !hasZone(time)) ? { usTimes: 'store' as const } : {}),
    },
    shop: shop?.name,
    pairs: [...columns].map(([column, field]) => ({ column, field, values: shownValues(column, looked, names) })),
    doubts: [...doubts, ...lineDoubts(columns, looked, names)],
    leftOut: names.filter((name) => name !== '' && !taken.has(name)),
    missing: [
      'clientOrderReference',
      'pickup.storeReference',
      'dropoff.contactName',
      'dropoff.contactPhone',
      'dropoff.address',
    ].filter((field) => ![...fields].some((known) => known === field || known.startsWith(`${field}.`))),
  }
}

function plain(name: string): string {
  return trimmed(name)
    .toLowerCase()
    .replace(/[_\-./#:]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function columnNamed(names: readonly string[], wanted: string): string | undefined {
  return names.find((name) => name === wanted) ?? names.find((name) => name.toLowerCase() === wanted.toLowerCase())
}

function columnOf(columns: ReadonlyMap<string, string>, field: string): string[] {
  return [...columns].flatMap(([column, given]) => (given.replace(/:\w+$/, '') === field ? column.split('+') : []))
}

/** Adds joined columns of a known export, if it has all that it needs. */
function addKnown(names: readonly string[], joined: string, add: (column: string) => void): void {
  const parts = joined
    .split('+')
    .map((part) => ({ found: columnNamed(names, part.replace(/\?$/, '')), isOptional: part.endsWith('?') }))
  if (parts.every(({ found, isOptional }) => isOptional || found !== undefined))
    add(parts.flatMap(({ found }) => found ?? []).join('+'))
}

function addLikely(
  names: readonly string[],
  add: (column: string, field: string) => void,
  shop: KnownShop | undefined,
): void {
  const first = names.find((name) => /^(?!.*bill).*\bfirst name$/.test(plain(name)))
  const last = names.find((name) => /^(?!.*bill).*\blast name$/.test(plain(name)))
  if (first !== undefined && last !== undefined) add(`${first}+${last}`, 'dropoff.contactName')
  const address = addressParts.flatMap((form) => names.find((name) => form.test(plain(name))) ?? [])
  if (address.length > 0 && addressParts[0]?.test(plain(address[0] ?? '')))
    add([...new Set(address)].join('+'), 'dropoff.address')
  for (const [form, field] of likelyNames) {
    // A shop's other columns are about payment and shipping: only what an order cannot do without is guessed.
    if (shop !== undefined && !/^(?:clientOrderReference|dropoff\.contact)/.test(field)) continue
    const name = names.find((one) => form.test(plain(one)))
    if (name === undefined) continue
    const unit = namedUnit(name, field) ?? (field === 'package.valueCents' ? 'dollars' : undefined)
    add(name, unit === undefined || field === 'tipAmountCents' ? field : `${field}:${unit}`)
  }
}

function hasZone(time: string): boolean {
  return /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})$/i.test(time)
}

/** Why values are not those of a field: more than half of them are in none of its forms. */
function valueDoubt(values: readonly string[], field: string): string | undefined {
  if (values.length === 0) return field === 'dropoff.instructions' ? undefined : 'it is empty in every row'
  const form: ((value: string) => boolean) | undefined = {
    'dropoff.contactPhone': (value: string) => phoneOf(value) !== undefined || /^\+\d{8,15}$/.test(value),
    'package.itemsCount': (value: string) => /^\d+(?:\.0+)?$/.test(value),
    'package.valueCents': (value: string) => /^\$?\s?[\d,]+(?:\.\d+)?$/.test(value),
    tipAmountCents: (value: string) => /^\$?\s?[\d,]+(?:\.\d+)?$/.test(value),
    'package.weightGrams': (value: string) => /^[\d,.]+\s*[a-z.]*$/i.test(value),
    'timeWindows.dropoff.start': isTime,
    'timeWindows.dropoff.end': isTime,
  }[field]
  const wrong = form === undefined ? undefined : values.filter((value) => !form(value))
  return wrong === undefined || wrong.length * 2 <= values.length ? undefined : `"${wrong[0]?.slice(0, 40)}" is none`
}

function isTime(value: string): boolean {
  return /^\d{4}[-/]\d{1,2}[-/]\d{1,2}[T ,]+\d{1,2}:\d{2}|^\d{1,2}\/\d{1,2}\/\d{2,4}[, ]+\d{1,2}(?::\d{2})?/.test(value)
}

/** Rows that lack a value that each order needs; the rows of further items have none. */
function lineDoubts(
  columns: ReadonlyMap<string, string>,
  rows: readonly (readonly string[])[],
  names: readonly string[],
): string[] {
  const [reference] = columnOf(columns, 'clientOrderReference')
  const at = reference === undefined ? -1 : names.indexOf(reference)
  const firsts = rows.filter((row, index) => at === -1 || row[at] !== rows[index - 1]?.[at])
  return ['dropoff.contactName', 'dropoff.contactPhone', 'dropoff.address'].flatMap((field) => {
    const parts = columnOf(columns, field)
    const without = firsts.filter((row) => parts.every((part) => trimmed(row[names.indexOf(part)] ?? '') === ''))
    if (parts.length === 0 || without.length === 0) return []
    return [`${without.length} of ${firsts.length} orders have no ${field}`]
  })
}

function shownValues(column: string, rows: readonly (readonly string[])[], names: readonly string[]): string[] {
  const parts = column.split('+').map((part) => names.indexOf(part))
  const values = rows.map((row) =>
    parts
      .map((part) => trimmed(row[part] ?? ''))
      .filter((value) => value !== '')
      .join(' '),
  )
  return [...new Set(values.filter((value) => value !== ''))].slice(0, 3)
}
