/** What a cell holds instead of a value, as the end of a sentence, and the remedy. */
export interface SheetFault {
  message: string
  hint: string
}

const failedFormula: SheetFault = {
  message: "is an error of the sheet's formula, not a value",
  hint: 'Repair the formula or enter the value, and save the sheet again.',
}
const narrowColumn: SheetFault = {
  message: 'is what a sheet shows where a column is too narrow, not its value',
  hint: 'Make the column wider, and save the sheet again.',
}
const missingValue: SheetFault = {
  message: 'is what a program writes for a value that it does not have',
  hint: 'Enter the value, or leave the cell empty, and repair the export.',
}
const openPlaceholder: SheetFault = {
  message: 'is a placeholder that was never filled in',
  hint: 'Enter the value, and repair the template.',
}
const roundedNumber: SheetFault = {
  message: 'is a rounded number: the sheet has lost the digits of the reference, and other rows may have the same',
  hint: 'Format the column as text or as a whole number in the sheet, enter the references again, and save it.',
}

/**
 * `#REF!`, `#BEZUG!`, `#¿NOMBRE?`, `#N/A`, `#GETTING_DATA` and their kin of spreadsheets in any language, `Err:502` of
 * LibreOffice.
 */
const formulaErrors = [
  /^#[¡¿]?[\p{Lu}_ ]+(?:\/0)?[!?]$/u,
  /^#[NНI]\/\p{Lu}(?:[!?]|\s.*)?$/su,
  /^#(?:NV|HIÁNYZIK|GETTING_DATA|DIV\/0|REF|VALUE|NAME|NUM|NULL|ERROR|SPILL|CALC)$/,
  /^(?:Err|Fehler|Erreur|Error|Errore|Erro|Virhe|Fel|Błąd|Chyba|Hiba|Fout)\s?:\s?5\d\d$/i,
  /^Loading\.\.\.$/,
]
const placeholders = [/\{\{.*\}\}/s, /^\$\{[^}]*\}$/, /^<no value>$/, /^%!\w?\(.*\)$/, /^«[^»]*»$/]
/** Words that join to `undefined undefined`. */
const missingWords = /^(?:undefined|NaN|null|NaT)$/

/** What texts with a fault hold, or how they begin. Most have none, and are looked at only once. */
const suspect =
  /#|\[object|\{\{|^\s*(?:[-(<%«$\\=]|na[nt]|null|undef|inf|invalid|load|err|feh|erro|virhe|fel|błąd|chyba|hiba|fout)/i

/** What is known of a character of ASCII: it can end a plain cell (1), begin one (2), or begin a fault as well (4). */
const plainCharacters = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (!/[!-z]/.test(character) || /[#['"]/.test(character)) return 0
  if (/[+\da-z]/i.test(character)) return /[nuilefvbch]/i.test(character) ? 7 : 3
  return 1
})

/** What no plain cell holds: guards, and what begins a placeholder within a text. */
export const unplain = /['[{]/g

/**
 * Whether a cell is its own value for sure, as most are: it has no white space around it, no guard, no formula and no
 * fault. By its ends, because each cell of a sheet is asked.
 *
 * @param isOfPlain whether it is in a line without what no plain cell holds
 */
export function isPlainCell(text: string, isOfPlain = false): boolean {
  const { length } = text
  const first = plainCharacters[text.charCodeAt(0)] ?? 0
  if (first < 2 || !plainCharacters[text.charCodeAt(length - 1)]) return false
  if (!isOfPlain && /['[{]/.test(text)) return false
  return first < 4 || !suspect.test(text)
}

/** The fault of a text that no person enters as a value: an error of a formula, or of the program that wrote it. */
export function sheetFault(text: string): SheetFault | undefined {
  if (text.length > 200 || !suspect.test(text)) return undefined
  const value = text.trim()
  if (/^-?#{3,}$/.test(value)) return narrowColumn
  if (formulaErrors.some((form) => form.test(value))) return failedFormula
  if (/\[object \w+\]/.test(value) || /^(?:NaN|NaT|-?Infinity|Invalid [Dd]ate|\(null\)|#ERR)$/.test(value))
    return missingValue
  if (value.split(/[\s,]+/).every((word) => missingWords.test(word)) && value !== 'null') return missingValue
  return placeholders.some((form) => form.test(value)) ? openPlaceholder : undefined
}

const openFormula: SheetFault = {
  message: 'is a formula, not its value',
  hint: 'Save the sheet with values instead of formulas, or as .xlsx or .ods, which hold both.',
}
const formula = /^=(?:[A-Z][A-Z0-9.]*\(|\$?[A-Z]{1,3}\$?\d|'?[^'!]{1,80}'?!\$?[A-Z]{1,3}\$?\d)/

/** The value of a formula that is only a text, as programs guard one: `="02840"`, and a link: `=HYPERLINK("…","A-1")`. */
export function formulaText(cell: string): string {
  const [, text] =
    /^="((?:[^"]|"")*)"$/.exec(cell) ?? /^=HYPERLINK\("(?:[^"]|"")*"[,;]\s*"((?:[^"]|"")*)"\)$/i.exec(cell) ?? []
  const [, number] = /^=(?:HYPERLINK\("(?:[^"]|"")*"[,;]\s*(\d+)\))$/i.exec(cell) ?? []
  return text?.replaceAll('""', '"').trim() ?? number ?? cell
}

/** The fault of a cell: what databases export for no value is one there, and may be a name. */
export function cellFault(cell: string, isName = false): SheetFault | undefined {
  if (!suspect.test(cell)) return undefined
  if (cell.length <= 8_192 && formula.test(cell)) return openFormula
  const fault = sheetFault(cell)
  if (fault !== undefined || isName) return fault
  return /^\s*(?:null|NULL|\\N|<NA>)\s*$/.test(cell) ? missingValue : undefined
}

/** The fault of a reference in scientific form: `6.01E+12`, `6,01E+12`, `1.00E+02`. */
export function roundedReference(text: string): SheetFault | undefined {
  if (!text.includes('E') && !text.includes('e')) return undefined
  const value = text.trim()
  // No number of an order is so small that its whole digits have a negative exponent: `2E-10` is a word.
  const isRounded = /^[+-]?\d+(?:[.,]\d+)?E\+\d{1,3}$/i.test(value) || /^[+-]?\d+[.,]\d+E-?\d{1,3}$/i.test(value)
  return isRounded ? roundedNumber : undefined
}

const noReference: SheetFault = {
  message: 'stands for a reference that is missing: the next order with it would be taken for this one',
  hint: 'Give each order a reference of its own.',
}

/** The fault of a reference: its digits are lost, or a program or person has written that there is none. */
export function referenceFault(text: string): SheetFault | undefined {
  if (text.length <= 4 && /^\s*(?:none|na[nt]|nil|n\/?a|tb[da])\s*$/i.test(text)) return noReference
  return roundedReference(text)
}

/** Whether a text stands for a value: there is none, it is still to come, or it is that of the row above. */
export function standsForValue(text: string): boolean {
  if (text.length > 24 || text.trim() === '') return false
  return /^\s*(?:["'\u2033\u3003,\s]+|[-\u2010-\u2015.?_*]+|x{2,}|n\/?a|tb[acd]|ditto|dito|idem|same(?: as (?:above|before|last(?: one)?))?|(?:see|siehe|ver) (?:above|below|notes?|comments?|oben|arriba)|wie oben)\s*$/i.test(
    text,
  )
}

const months =
  'jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|mär|mrz|mai|okt|dez|avr|juin|juil|août|déc|ene|abr|ago|dic'
const dateLike = new RegExp(
  `^(?:\\d{1,4}[-. /]{1,2}(?:${months})\\.?|(?:${months})\\.?[-. /]{1,2}\\d{1,4})(?:[-/ ]\\d{2,4})?$`,
  'i',
)

/** Whether a sheet has probably made a date of what was entered, such as `4-Mar` of a room 3-4. */
export function isMadeDate(text: string): boolean {
  const value = text.trim()
  if (dateLike.test(value) || /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}\/\d{1,2}\/\d{2,4})(?:[T ]0?0:00(?::00)?)?$/.test(value))
    return true
  // The days since 1900 of the years 2000 to 2049.
  return /^\d{5}$/.test(value) && Number(value) >= 36_526 && Number(value) <= 54_788
}
