import { postalCodeOf } from '../../../contract/index.js'
import {
  isGiftColumn,
  isNoteColumn,
  isOtherTime,
  isSaying,
  isStateOrPostalCode,
  looksLikeTime,
  readName,
  toldTime,
} from '../../../shared/sheet-columns.js'
import { stateColumnOf } from '../../../shared/sheet-states.js'
import { trimmed } from '../../../shared/texts.js'
import { citylessWarning } from '../../bulk/text-doubts.js'
import { hasDay } from './column-values.js'
import type { Pairs, Table } from './map-columns.js'

/** Columns that no field takes and whose values are times: without them, orders go out now. */
export function openTimes(pairs: Pairs, table: Table, unmapped: readonly string[]): string[] {
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
export function openDoubts(
  pairs: Pairs,
  table: Table,
  unmapped: readonly string[],
  times: readonly string[],
): string[] {
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
      const told = pairs.has('timeWindows') ? undefined : table.values(name).find((value) => toldTime(value))
      const when = `${shown(name)} tells when orders are wanted ("${toldTime(told ?? '')?.slice(0, 40)}"), and without a window they go out now: give their times a column`
      if (told !== undefined) return when
      const what = isGiftColumn(readName(name))
        ? 'is a note of a gift, and is left out'
        : 'may hold what a driver needs, and is left out'
      return `${shown(name)} ${what}: --map "${joined(name)}=${field}" takes it`
    }),
  ]
}

const noPlace =
  /\b(?:names?|customer|guest|sender|recipient|company|status|state|province|region|type|method|mode|option|kind|items?|products?|colou?r|size|country|currency|payment|bill(?:ing)?|paid|card|email|channel|source|staff|driver|store|shop|vendor|tags?|ordered by|by)\b/

/** Addresses that have no city, and the columns whose values may be it: words, the same ones for each ZIP code. */
export function cityDoubts(pairs: Pairs, table: Table, unmapped: readonly string[]): string[] {
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
    return !noPlace.test(read) && !isNoteColumn(read) && stateColumnOf(read) === undefined && isPlace(name)
  })
  const said = `${without.length} of ${table.rows.length} rows have no city between their street and state or ZIP code`
  const [place] = places
  if (place === undefined) return [said]
  const at = parts.findIndex(isStateOrPostalCode)
  const joined = parts.toSpliced(at === -1 ? parts.length : at, 0, place).join('+')
  return [`${said}; "${place}" (${table.shown(place)[0] ?? ''}) may be it: --map "${joined}=dropoff.address"`]
}

/** Rows that lack a value that each order needs; the rows of further items have none. */
export function lineDoubts(pairs: Pairs, table: Table): string[] {
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
