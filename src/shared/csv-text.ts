/**
 * A cell as it is written so that any reader has the same text: quoted if it holds quotation marks, line breaks or the
 * separator, or has spaces around it that some readers take away.
 */
function csvText(cell: string, separator = ','): string {
  return /["\r\n]|^\s|\s$/.test(cell) || cell.includes(separator) ? quoted(cell) : cell
}

/**
 * A record of cells. If one of them has line breaks, all are quoted, so that no reader can take its lines for records;
 * readers take an empty line for no record.
 */
export function csvRecord(cells: readonly string[], separator = ','): string {
  const isLong = cells.some((cell) => /[\r\n]/.test(cell))
  const record = cells.map((cell) => (isLong ? quoted(cell) : csvText(cell, separator))).join(separator)
  return record === '' ? '""' : record
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`
}

/** Characters that a spreadsheet begins a formula with, behind spaces or quotation marks that it takes off. */
const formulaStart = /^[\s"]*[=+\-@＝＋－＠]|^[\t\r]/

/**
 * Places in which a spreadsheet that separates cells by semicolons, tabs or lines would begin another cell with a
 * formula.
 */
const innerFormula = /[;\t\r\n](?='*"*[=+\-@＝＋－＠])/g

/** The names of months with a number, which some sheets take for a day: `MAR-4`, `Jan 5`. */
const monthFirst = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?[-. /]{1,2}\\d{1,4}'

/**
 * Texts that a sheet takes for numbers or days and shows and saves otherwise: zeros at the beginning and the end, more
 * digits than it counts with, exponents, `1,001`, `3/4`, `MAR-4`.
 */
const retyped = new RegExp(
  `^\\s*(?:0\\d+(?:[.,]\\d*)?|\\d+(?:[.,]\\d+)?e[+-]?\\d+|\\d{1,3}(?:,\\d{3})+|\\d{16,}|\\d+\\.\\d*0|\\d{1,2}[-/]\\d{1,2}(?:[-/]\\d{2,4})?|\\d{1,2}[-/ ][a-z]{3,9}\\.?|${monthFirst})\\s*$`,
  'i',
)

/** A cell with an apostrophe if a sheet would change its text to another number or day. */
export function keptText(cell: string): string {
  return retyped.test(cell) ? `'${cell}` : cell
}

/** A text that is guarded although it begins with a letter. */
export const guardedMonth = new RegExp(`^(\\s*)'(?=[\\s']*${monthFirst}\\s*$)`, 'i')

/** An apostrophe of the text's own that would be read as a guard. */
const ownApostrophe = /^\s*'(?:[\s"']*[=+\-@＝＋－＠]|[\s']*\d|[\t\r])/

/**
 * A text with an apostrophe wherever a spreadsheet would begin a formula, or change a text that is no number. `withoutGuards` gives the text back, which is
 * why a text that looks guarded gets another apostrophe.
 *
 * @param isTabbed whether cells are separated by tabs: readers differ on whether quotation marks enclose a cell there,
 *   so none begins with one
 */
export function guarded(text: string, isTabbed = false): string {
  const inner = text.replace(innerFormula, "$&'")
  const needs =
    formulaStart.test(text) ||
    ownApostrophe.test(text) ||
    retyped.test(text) ||
    guardedMonth.test(text) ||
    (isTabbed && /^[\s']*"/.test(text))
  return needs ? `'${inner}` : inner
}
