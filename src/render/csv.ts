import { plainLines, plainText } from './plain-text.js'
import { type Column, valueAt } from './view.js'

/** A value for a pipe: strings and numbers unchanged, objects and arrays as compact JSON. */
function bareText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const formulaStart = /^[=+\-@\t\r＝＋－＠]/
/** Where a spreadsheet whose separator is the semicolon, or a tab, would begin another cell with a formula. */
const innerFormula = /[;\t\r\n](?=[=+\-@＝＋－＠])/g
const plainNumber = /^-?\d+(?:\.\d+)?$/

/**
 * A CSV cell according to RFC 4180, without control characters. A string that a spreadsheet would run as a formula gets
 * an apostrophe, wherever the formula would begin; numbers keep their sign. `raw` leaves strings unchanged.
 */
export function csvCell(value: unknown, raw = false): string {
  const given = bareText(value)
  const bare = raw ? given : plainLines(given.replaceAll('\r\n', '\n'))
  const isFormula = formulaStart.test(given) || formulaStart.test(bare)
  const isNumber = typeof value === 'number' && plainNumber.test(bare)
  const guarded = raw || isNumber ? bare : `${isFormula ? "'" : ''}${bare.replace(innerFormula, "$&'")}`
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** A row of CSV; see `csvCell`. */
export function csvLine(columns: readonly Column[], row: unknown, raw = false): string {
  return columns.map((column) => csvCell(valueAt(row, column.name), raw)).join(',')
}

/**
 * A tab-separated line of complete values. Tabs and line breaks in a value become spaces; control characters are
 * removed.
 */
export function tabLine(columns: readonly Column[], row: unknown): string {
  return columns.map((column) => plainText(bareText(valueAt(row, column.name)))).join('\t')
}
