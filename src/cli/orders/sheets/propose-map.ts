import { DeliveryCreate, isRequestField, namedUnit, weightUnitOf } from '../../../contract/index.js'
import { addressColumns, isSaying, readName } from '../../../shared/sheet-columns.js'
import { isEndedState, stateColumnOf } from '../../../shared/sheet-states.js'
import { trimmed } from '../../../shared/texts.js'
import { byParty, isOfRecipient, partyOf, streetOf } from './column-parties.js'
import {
  areDayFirst,
  areTimes,
  hasDay,
  hasZone,
  isDayAndRange,
  isRange,
  isTime,
  requiredFields,
} from './column-values.js'
import { type KnownShop, knownShops } from './known-shops.js'
import { driverNote, installationNames, likelyNames, timeNames } from './likely-columns.js'
import { Pairs, Table } from './map-columns.js'
import { cityDoubts, lineDoubts, openDoubts, openTimes } from './map-doubts.js'

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

/** The number of rows that are looked at. */
const lookedAt = 500

/** How much a row looks like the header of a table of orders. */
export function headerLikeness(cells: readonly string[]): number {
  const names = cells.map(readName)
  const known = knownShops.flatMap(({ columns }) =>
    columns.flatMap(([joined]) => joined.split('+').map((one) => readName(one.replace(/\?$/, '')))),
  )
  return names.filter(
    (name, index) =>
      name !== '' &&
      (known.includes(name) ||
        isRequestField(DeliveryCreate, trimmed(cells[index] ?? '')) ||
        likelyNames.some(([form]) => form.test(name)) ||
        Object.values(addressColumns).some((form) => form.test(name))),
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
      ...requiredFields.filter((field) => !pairs.has(field)),
      ...(open.length > 0 && !pairs.has('timeWindows') ? ['timeWindows.dropoff'] : []),
    ],
  }
}

/** Adds joined columns of a known export, if it has all that it needs. */
function addKnown(table: Table, joined: string, add: (column: string) => void): void {
  const parts = joined
    .split('+')
    .map((part) => ({ found: table.named(part.replace(/\?$/, '')), isOptional: part.endsWith('?') }))
  if (parts.every(({ found, isOptional }) => isOptional || found !== undefined))
    add(parts.flatMap(({ found }) => found ?? []).join('+'))
}

const firstName =
  /^(?!.*\b(?:bill|billing|buyer|driver|store|sender)\b).*\b(?:first|given|vor|fore) ?name$|^(?:prenom|vorname|primer nombre)$/
const lastName =
  /^(?!.*\b(?:bill|billing|buyer|driver|store|sender)\b).*\b(?:last|family|sur|nach) ?name$|^(?:nachname|apellidos?|cognome)$/

function addLikely(table: Table, pairs: Pairs, shop: KnownShop | undefined): void {
  const isFree = (name: string) => pairs.isFree(name)
  addName(table, pairs)
  addInstallation(table, pairs)
  addAddress(table, pairs)
  // A shop's other columns are about payment and shipping.
  addTimes(table, pairs, (name) => shop === undefined || ofDelivery.test(readName(name)))
  for (const [form, field] of likelyNames) {
    // Only what an order cannot do without is guessed of a shop, and what its form asked for the driver.
    if (shop !== undefined && !/^(?:clientOrderReference|dropoff\.contact)/.test(field) && form !== driverNote) continue
    const name = field === 'dropoff.contactPhone' ? byParty(table, [form], isFree)[0] : table.best(form, isFree)
    if (name === undefined) continue
    const beside = field === 'package.weightGrams' ? weightUnits(table) : []
    if (beside.length > 1) {
      pairs.doubt(`"${name}" is left out: its rows have different units (${beside.join(', ')})`)
      continue
    }
    const unit = namedUnit(name, field) ?? beside[0] ?? (field === 'package.valueCents' ? 'dollars' : undefined)
    pairs.add(name, unit === undefined || field === 'tipAmountCents' ? field : `${field}:${unit}`)
  }
  const number = pairs.has('clientOrderReference') ? undefined : table.best(/^(?:no|nr|id|#|number)$/, isFree)
  if (number !== undefined) pairs.add(number, 'clientOrderReference')
  const share = pairs.has('tipAmountCents') ? undefined : table.best(shareOfTip, isFree)
  if (share !== undefined && table.values(share).some(isSaying))
    pairs.doubt(`"${share}" (${table.shown(share)[0] ?? ''}) is a share and no amount, and is left out: no tip is sent`)
}

/** The units of the weights, where a column of their own has them. */
function weightUnits(table: Table): string[] {
  const name = table.best(/^(?:.* )?(?:weight|wt) (?:unit|units|uom|measure)$/)
  const words = name === undefined ? [] : table.values(name)
  return [...new Set(words.flatMap((word) => weightUnitOf(word) ?? []))]
}

const shareOfTip = /^(?=.*(?:%|\b(?:percent(?:age)?|pct|rate)\b)).*\b(?:tip|gratuity|grat)\b/

/** Adds the names of those who receive, before those of who orders. */
function addName(table: Table, pairs: Pairs): void {
  const isFree = (name: string) => pairs.isFree(name)
  const forms = likelyNames.flatMap(([form, field]) => (field === 'dropoff.contactName' ? [form] : []))
  const isName = (name: string) => isFree(name) && !areTimes(table.values(name)) && !table.values(name).some(isWhole)
  const [given] = byParty(table, [firstName], isFree)
  const family = given === undefined ? undefined : byParty(table, [lastName], isFree, partyOf(given))[0]
  const whole = byParty(table, forms, isName)
  const isSurer = whole[0] !== undefined && given !== undefined && isOfRecipient(whole[0]) && !isOfRecipient(given)
  if (given !== undefined && family !== undefined && !isSurer) pairs.add(`${given}+${family}`, 'dropoff.contactName')
  for (const name of whole) pairs.add(name, 'dropoff.contactName')
}

/** Adds where on an installation orders go, if a column names the installation. */
function addInstallation(table: Table, pairs: Pairs): void {
  const isFree = (name: string) => pairs.isFree(name)
  const isNamed = (name: string) =>
    table.values(name).some((value) => /^\p{L}[\p{L}\d]/u.test(value) && isSaying(value))
  const code = table.best(installationNames.code, (name) => isFree(name) && isNamed(name))
  if (code !== undefined) pairs.add(code, 'dropoff.installation.code')
  const [known] = pairs.columnsOf('dropoff.installation.code')
  if (known === undefined) return
  for (const [form, field] of installationNames.others) {
    // Off an installation, a building or a room is a part of the address, and so is `Unit` with 4 or 12B.
    const isThere = (name: string) =>
      table.rows.every((row) => !isSaying(table.at(row, name)) || isSaying(table.at(row, known))) &&
      table
        .values(name)
        .some((value) => field !== 'dropoff.unit.unitDesignation' || /\p{L}.*[ /-]|[ /-].*\p{L}/u.test(value))
    const name = table.best(form, (one) => isFree(one) && isThere(one))
    if (name !== undefined) pairs.add(name, field)
  }
}

const isWhole = (value: string) => /\b\d{5}(?:-\d{4})?\b\W*\D*$/.test(value)

/** Adds the columns of an address: all of its units, and one for each other part, those of one party. */
function addAddress(table: Table, pairs: Pairs): void {
  const isFree = (name: string) => pairs.isFree(name)
  const { unit, city, otherCity, state, postalCode } = addressColumns
  const { street, rivals } = streetOf(table, isFree)
  const [whole] = table
    .allNamed(/^(?:ship|deliver|send|drop ?off)(?: to)?$/, isFree)
    .filter((name) => table.values(name).some(isWhole))
  if (whole !== undefined && (street === undefined || !isOfRecipient(street))) pairs.add(whole, 'dropoff.address')
  else if (street === undefined && rivals.length > 0 && !pairs.has('dropoff.address'))
    pairs.doubt(
      `${rivals.map((name) => `"${name}" (${table.shown(name)[0]?.slice(0, 40) ?? ''})`).join(' and ')} are different addresses: --map "${rivals[0]}=dropoff.address" takes one, with its other columns, joined by +`,
    )
  if (street === undefined) return
  const party = partyOf(street)
  const units = table.allOf(unit, isFree)
  const own = units.filter((name) => ['', party].includes(partyOf(name)))
  const [town] = [city, otherCity].flatMap((form) => byParty(table, [form], isFree, party).slice(0, 1))
  const others = [state, postalCode].map((form) => byParty(table, [form], isFree, party)[0])
  const parts = [street, ...(own.length > 0 ? own : units), town, ...others]
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

/** Columns whose values say that an order is cancelled, picked up or done. */
function leaveOut(table: Table, shop: KnownShop | undefined, given: Given['leaveOut']): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>(given ?? [])
  for (const [column, values] of Object.entries(shop?.leaveOut ?? {})) {
    const name = table.named(column)
    if (name !== undefined && !found.has(name)) found.set(name, values)
  }
  for (const name of table.names) {
    const kind = stateColumnOf(readName(name))
    if (found.has(name) || kind === undefined) continue
    const ended = [...new Set(table.values(name).filter((value) => isEndedState(value, kind)))]
    if (kind === 'time') found.set(name, ['*'])
    else if (ended.length > 0 && kind !== 'kind') found.set(name, ended)
    else if (ended.length > 0 && ended.every((value) => !/deliver|ship/i.test(value))) found.set(name, ended)
  }
  return found
}
