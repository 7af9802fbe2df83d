import { textForm } from '../../contract/index.js'
import { tryParseJson } from '../../shared/json.js'
import { cellFault, referenceFault, type SheetFault } from '../../shared/sheet-faults.js'
import { type Column, cellProblem, RowValue } from './csv-columns.js'
import type { CsvRecord } from './csv-line.js'

/** Why a cell has no value, and where it is. */
export interface CellFault {
  message: string
  hint?: string | undefined
  index: number | undefined
}

/** Why a record has no values, behind its place, and the cell that is to blame. */
export interface RecordFault {
  problem: string
  hint?: string | undefined
  cell?: number | undefined
}

/** Why a column of a record has no value. */
type ColumnFault = RecordFault & { path: string }

/** The value that the cells of a record make, and what of them cannot be read. */
export function recordValue(
  columns: readonly Column[],
  textOf: (column: Column, index: number) => string | CellFault,
): { value: unknown; faults: readonly ColumnFault[] } {
  const made = new RowValue()
  const faults: ColumnFault[] = []
  let index = 0
  for (const column of columns) {
    const text = textOf(column, index++)
    if (typeof text !== 'string') faults.push({ ...columnFault(column, text), path: column.path })
    else if (text !== '') {
      const problem = made.put(column, text)
      if (problem !== undefined) faults.push({ ...cellProblem(column, text, problem), path: column.path })
    }
  }
  return { value: made.value, faults }
}

/** Why a column has no text in a record. */
function columnFault(column: Column, { message, hint, index }: CellFault): RecordFault {
  return { problem: `, column ${column.name}: ${message}`, hint, cell: index }
}

/** All that is wrong with a record, at the place of the first. */
export function joinedFaults(faults: readonly RecordFault[]): RecordFault {
  const problem = faults.map((fault, index) => (index === 0 ? fault.problem : fault.problem.replace(/^, /, '')))
  const hints = new Set(faults.flatMap(({ hint }) => hint ?? []))
  return {
    problem: problem.join('; '),
    hint: hints.size === 0 ? undefined : [...hints].join(' '),
    cell: faults[0]?.cell,
  }
}

/** The cells of a record that could be read beside its faults, and the fields that could not. */
export function beside(given: unknown, faults: readonly ColumnFault[]) {
  return { given, unread: faults.map(({ path }) => path) }
}

export const crowdedHint =
  'A cell that holds the separator has to be quoted: save the sheet with quotation marks around texts, or as .xlsx or .ods.'

export const faultHint =
  'Quotation marks enclose a whole cell, and those inside of it are doubled. Save the sheet again from its program, or repair the line.'

/** The fault of a cell of a workbook that has no value. */
export function sheetCellFault({ faults, cells }: CsvRecord, index: number): SheetFault | undefined {
  const fault = faults?.get(index)
  if (fault === undefined) return undefined
  const cell = cells[index] ?? ''
  return cell === '' ? fault : { ...fault, message: `"${cell.slice(0, 80)}" ${fault.message}` }
}

const bareDay: SheetFault = {
  message: 'is the number of a day in a sheet: a date without its format',
  hint: 'Format the column as date and time in the sheet, and save it again.',
}

const jsonForText: SheetFault = {
  message: 'is an object or list of JSON, not a text',
  hint: 'Give each of its values a name of its own, such as with jq, and map those.',
}

/** Whether a cell is JSON that holds other values; braces of a text are none. */
function isNested(cell: string): boolean {
  return /^(?:\{\s*"|\[\s*["[{]).*[\]}]$/s.test(cell) && tryParseJson(cell) !== undefined
}

/** The fault of a cell, with its value. */
export function faultOf(cell: string, { path, isTime, form }: Column): SheetFault | undefined {
  if (cell === '') return undefined
  // A note may be anything that a driver can read.
  if (form === textForm && !/^metadata\.|instructions$|description$/.test(path) && isNested(cell))
    return { ...jsonForText, message: `"${cell.slice(0, 80)}" ${jsonForText.message}` }
  const isName = path === 'dropoff.contactName'
  if (isTime && /^[45]\d{4}(?:\.\d+)?$/.test(cell)) return { ...bareDay, message: `"${cell}" ${bareDay.message}` }
  const fault = cellFault(cell, isName) ?? (path === 'clientOrderReference' ? referenceFault(cell) : undefined)
  return fault === undefined ? undefined : { ...fault, message: `"${cell.slice(0, 80)}" ${fault.message}` }
}

export function foreignFault(country: string, header: readonly string[], cell: number): RecordFault {
  const value = country.slice(0, 80).replaceAll('"', '')
  return {
    problem: `, column ${header[cell]}: "${value}" is another country, and deliveries go to the United States`,
    hint: `Such orders are left out with { leaveOut: { "${header[cell]}": "${value}" } }.`,
    cell,
  }
}

export function currencyFault(currency: string, header: readonly string[], cell: number): RecordFault {
  const value = currency.slice(0, 80).replaceAll('"', '')
  return {
    problem: `, column ${header[cell]}: "${value}" is another currency, and amounts are sent in US dollars`,
    hint: 'Convert them, or leave the columns with amounts out of the mapping.',
    cell,
  }
}
