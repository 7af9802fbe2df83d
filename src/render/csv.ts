import { csvRecord, guarded } from '../shared/csv-text.js'
import { JsonNumber } from '../shared/json-number.js'
import { bareText, tabLine } from './pipe-lines.js'
import { plainLines, plainText } from './plain-text.js'
import { type Column, valueAt } from './view.js'

const plainNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A text without control characters, with an apostrophe wherever a spreadsheet would begin a formula. */
function guardedValue(value: unknown, plain: string, isTabbed: boolean): string {
  const isNumber =
    (typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber) && plainNumber.test(plain)
  return isNumber ? plain : guarded(plain, isTabbed)
}

/**
 * A CSV cell according to RFC 4180, without control characters. A string that a spreadsheet would run as a formula gets
 * an apostrophe, wherever the formula would begin; numbers keep their sign. `raw` leaves strings unchanged.
 */
export function csvCell(value: unknown, raw = false): string {
  return csvRecord([cellText(value, raw)])
}

function cellText(value: unknown, raw: boolean): string {
  const given = bareText(value)
  return raw ? given : guardedValue(value, plainLines(given.replaceAll('\r\n', '\n')), false)
}

/** A line of CSV; see `csvCell`. */
export function csvLine(columns: readonly Column[], row: unknown, raw = false): string {
  return csvRecord(columns.map((column) => cellText(valueAt(row, column.name), raw)))
}

/**
 * A line of TSV: as `tabLine`, with apostrophes before formulas as in `csvCell`, and before quotation marks at the
 * beginning of a cell: for some readers they enclose it, and for others they are letters.
 */
export function tsvLine(columns: readonly Column[], row: unknown, raw = false): string {
  if (raw) return tabLine(columns, row)
  return columns
    .map((column) => valueAt(row, column.name))
    .map((value) => guardedValue(value, plainText(bareText(value)), true))
    .join('\t')
}

/** The names of columns, as a line of CSV or separated by tabs. */
export function headerLine(columns: readonly Column[], isCsv: boolean, raw: boolean): string {
  const names = Object.fromEntries(columns.map(({ name }) => [name, name]))
  return isCsv ? csvLine(columns, names, raw) : tsvLine(columns, names, raw)
}
