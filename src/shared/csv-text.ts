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

/** An apostrophe of the text's own that would be read as a guard. */
const ownApostrophe = /^\s*'(?:[\s"']*[=+\-@＝＋－＠]|[\s']*\d|[\t\r])/

/**
 * A text with an apostrophe wherever a spreadsheet would begin a formula. `withoutGuards` gives the text back, which is
 * why a text that looks guarded gets another apostrophe.
 *
 * @param isTabbed whether cells are separated by tabs: readers differ on whether quotation marks enclose a cell there,
 *   so none begins with one
 */
export function guarded(text: string, isTabbed = false): string {
  const inner = text.replace(innerFormula, "$&'")
  const needs = formulaStart.test(text) || ownApostrophe.test(text) || (isTabbed && /^[\s']*"/.test(text))
  return needs ? `'${inner}` : inner
}
