import { plainLines, plainText, plainValue } from './plain-text.js'
import { type Column, valueAt } from './view.js'

/** A value for a pipe: strings and numbers unchanged, objects and arrays as compact JSON. */
function bareText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const formulaStart = /^[=+\-@\t\r＝＋－＠]/
/**
 * The places where a spreadsheet that separates cells by semicolons or tabs would begin another cell with a formula.
 */
const innerFormula = /[;\t\r\n](?=[=+\-@＝＋－＠])/g
const plainNumber = /^-?\d+(?:\.\d+)?$/

/**
 * A CSV cell according to RFC 4180, without control characters. A string that a spreadsheet would run as a formula gets
 * an apostrophe, wherever the formula would begin; numbers keep their sign. `raw` leaves strings unchanged.
 */
export function csvCell(value: unknown, raw = false): string {
  const given = bareText(value)
  const cell = raw ? given : guarded(value, given, plainLines(given.replaceAll('\r\n', '\n')))
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** `plain` with an apostrophe wherever a spreadsheet would begin a formula; it is `given` without control characters. */
function guarded(value: unknown, given: string, plain: string): string {
  if ((typeof value === 'number' || typeof value === 'bigint') && plainNumber.test(plain)) return plain
  const isFormula = formulaStart.test(given) || formulaStart.test(plain)
  return `${isFormula ? "'" : ''}${plain.replace(innerFormula, "$&'")}`
}

/** A row of CSV; see `csvCell`. */
export function csvLine(columns: readonly Column[], row: unknown, raw = false): string {
  return columns.map((column) => csvCell(valueAt(row, column.name), raw)).join(',')
}

/**
 * A tab-separated line of complete values. Tabs and line breaks in a value become spaces; control characters are
 * removed. `forSpreadsheet` guards formulas as `csvCell` does.
 */
export function tabLine(columns: readonly Column[], row: unknown, forSpreadsheet = false): string {
  const cell = (value: unknown) => {
    const given = bareText(value)
    return forSpreadsheet ? guarded(value, given, plainText(given)) : plainText(given)
  }
  return columns.map((column) => cell(valueAt(row, column.name))).join('\t')
}

/** An object as `path<TAB>value` lines, nested objects by dotted paths, arrays as JSON: a card for a pipe. */
export function fieldLines(value: unknown): string[] {
  const lines: string[] = []
  collect(value, '', lines)
  return lines
}

function collect(value: unknown, path: string, lines: string[]): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) collect(member, path === '' ? name : `${path}.${name}`, lines)
    return
  }
  lines.push(path === '' ? plainValue(value) : `${plainValue(path)}\t${plainValue(value)}`)
}
