import { z } from 'zod'
import { readRows } from '../../../bulk/index.js'
import { type TableOptions, tableRecords } from '../../../bulk/internal.js'
import { isE164, phoneOf, postalCodeOf, UsageError } from '../../../contract/index.js'
import { plainText, prose } from '../../../render/plain-text.js'
import { isRecord } from '../../../shared/json.js'
import { JsonNumber } from '../../../shared/json-number.js'
import { trimmed } from '../../../shared/texts.js'
import { askText } from '../../input/prompt.js'
import type { ProcessContext } from '../../process/context.js'
import { styleFor } from '../../process/terminal.js'
import type { Given, Proposal, ProposedMap } from './propose-map.js'

/** A table that is to be mapped: its header, the rows below it, and how many of them cannot be read. */
interface MapTable {
  header: readonly string[]
  rows: readonly (readonly string[])[]
  faults: readonly string[]
}

/**
 * Reads a CSV, a workbook, or JSON objects with the columns of a sheet. A row that cannot be read is only said: the run
 * refuses it by itself.
 *
 * @throws UsageError for what is no table
 */
export async function readMapTable(bytes: Buffer, options: TableOptions & { what: string }): Promise<MapTable> {
  if (/^[\s\ufeff]*[[{]/.test(bytes.subarray(0, 200).toString('utf8'))) return jsonTable(bytes, options.what)
  const records = await tableRecords([bytes], { ...options, isTolerant: true })
  const [first, ...others] = records
  if (first === undefined) throw new UsageError(`${options.what} is empty.`)
  if (first.cells.length === 1 && others.length > 0)
    throw new UsageError(`${options.what} has one column, "${first.cells[0]?.slice(0, 80)}".`, {
      hint: 'Columns are separated by commas, semicolons, tabs or bars; a first line sep=^ names another separator.',
    })
  refuseValues(first.cells, options.what)
  return {
    header: first.cells,
    rows: others.flatMap(({ cells, fault }) => (fault === undefined ? [cells] : [])),
    faults: others.flatMap(({ line, fault }) =>
      fault === undefined ? [] : [`Line ${line} cannot be read: ${fault.message}`],
    ),
  }
}

/** @throws UsageError for a table whose first line is an order: as names of columns, it would never be sent */
function refuseValues(header: readonly string[], what: string): void {
  const isValue = (cell: string) =>
    phoneOf(cell) !== undefined ||
    (cell.includes(',') && postalCodeOf(cell) !== undefined) ||
    /^\$?\d+\.\d{2}$/.test(cell)
  if (!header.some(isValue)) return
  const shown = header.slice(0, 4).map((cell) => `"${cell.slice(0, 40)}"`)
  throw new UsageError(`${what} has no line with the names of its columns: the first is ${shown.join(', ')}.`, {
    hint: 'Put one above it, such as Order,Name,Phone,Address: without it, the first order would be taken for names.',
  })
}

/** JSON objects as rows of a sheet, as programs convert tables. */
async function jsonTable(bytes: Buffer, what: string): Promise<MapTable> {
  const objects: Record<string, unknown>[] = []
  for await (const batch of readRows([bytes], { schema: z.record(z.string(), z.unknown()), what }))
    for (const row of batch) if ('value' in row && isRecord(row.value)) objects.push(row.value)
  const header = [...new Set(objects.flatMap((object) => Object.keys(object)))]
  if (header.length === 0) throw new UsageError(`${what} has no objects with the columns of a sheet.`)
  const text = (value: unknown) => {
    if (value === undefined || value === null) return ''
    if (value instanceof JsonNumber) return value.text
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  return { header, rows: objects.map((object) => header.map((name) => text(object[name]))), faults: [] }
}

/** The flags that set what a sheet lacks, by its field. */
export const settingOf: Readonly<Record<string, string>> = {
  clientOrderReference: '--map "COLUMN=clientOrderReference" names it',
  'pickup.storeReference': '--store STORE sets it',
  'dropoff.contactName': '--name NAME sets it',
  'dropoff.contactPhone': '--phone PHONE sets it',
  'dropoff.address': '--to ADDRESS sets it',
  'timeWindows.dropoff': '--map "COLUMN=timeWindows.dropoff" names it, and without it these orders go out now',
}

/** The columns that are offered with a value, each on a line; the others are offered by their names. */
const offered = 30

type Answers = Required<Pick<Given, 'columns' | 'values'>>

/** What an answer means for a field: a column, a value of all orders, nothing, the question before, or that it is wrong. */
type Meaning = { column: string } | { value: string } | { problem: string } | 'open' | 'back'

/**
 * Asks for each field that orders need and no column is proposed for: a column by its number or name, several joined by `+`, or
 * a value that all orders have. An empty answer leaves it open, and `<` asks the question before again; a wrong one is asked again.
 */
export async function askMissing(
  context: ProcessContext,
  { missing, leftOut }: Pick<Proposal, 'missing' | 'leftOut'>,
): Promise<Answers> {
  const found = new Map<string, { column: string } | { value: string }>()
  if (missing.length > 0 && leftOut.length > 0) context.stderr.write(offer(context, leftOut))
  for (let at = 0; at < missing.length; ) {
    const field = missing[at] ?? ''
    const column = 'a column by its number or name, two as 8+9'
    const isColumn = field === 'clientOrderReference' || field.startsWith('timeWindows.')
    const what = isColumn ? column : `${column}, or a value for all orders`
    const open = field.startsWith('timeWindows.') ? ', and orders go out now' : ''
    const text = `${field}: ${what} (Enter leaves it open${open}${at > 0 ? ', < goes back' : ''}):`
    const typed = await askText(context, { text, flag: '--yes', noInput: false })
    found.delete(field)
    const meaning = meaningOf(typed, field, leftOut, found)
    if (meaning === 'back') at = Math.max(0, at - 1)
    else if (meaning === 'open') at++
    else if ('problem' in meaning) context.stderr.write(`${plainText(meaning.problem)}\n`)
    else {
      found.set(field, meaning)
      at++
    }
  }
  const answers = { columns: new Map<string, string>(), values: new Map<string, unknown>() }
  for (const [field, answer] of found)
    if ('column' in answer) answers.columns.set(answer.column, field)
    else answers.values.set(field, answer.value)
  return answers
}

/** The columns with their numbers. */
function offer(context: ProcessContext, leftOut: Proposal['leftOut']): string {
  const named = leftOut.map(({ column, values: [value = ''] }, index) => ({
    number: String(index + 1),
    name: plainText(column.slice(0, 40)),
    value: value === '' ? '' : `: ${plainText(value.slice(0, 40))}`,
  }))
  const lines = named.slice(0, offered).map(({ number, name, value }) => `${number.padStart(3)}  ${name}${value}\n`)
  const others = named.slice(offered).map(({ number, name }) => `${number} ${name}`)
  const style = styleFor(context.stderr, context.env, false, context.nowMs())
  return `Columns that are not mapped:\n${lines.join('')}${others.length === 0 ? '' : `${prose(`And ${others.join(', ')}.`, style)}\n`}`
}

function meaningOf(
  typed: string,
  field: string,
  leftOut: Proposal['leftOut'],
  found: ReadonlyMap<string, { column: string } | { value: string }>,
): Meaning {
  if (typed === '') return 'open'
  if (typed === '<') return 'back'
  const names = leftOut.map(({ column }) => column)
  const column = namedColumn(typed, names)
  if (column !== undefined) return freeColumns([column], found)
  if (/^\d{1,4}$/.test(typed)) return { problem: noColumn(typed, names) }
  const joined = joinedColumns(typed, field, names)
  if (joined !== undefined) return 'problem' in joined ? joined : freeColumns(joined.columns, found)
  const problem = valueProblem(typed, field)
  return problem === undefined ? { value: typed } : { problem }
}

function namedColumn(typed: string, names: readonly string[]): string | undefined {
  if (/^\d{1,4}$/.test(typed)) return names[Number(typed) - 1]
  const folded = typed.toLowerCase()
  return names.find((name) => name === typed) ?? names.find((name) => name.toLowerCase() === folded)
}

function noColumn(number: string, names: readonly string[]): string {
  return `There is no column ${number}: the numbers are 1 to ${names.length}.`
}

/** The columns of `8+9` or `First name+Last name`; `undefined` for a text that joins none. */
function joinedColumns(
  typed: string,
  field: string,
  names: readonly string[],
): { columns: string[] } | { problem: string } | undefined {
  if (!typed.includes('+') || (field === 'dropoff.contactPhone' && isPhone(typed))) return undefined
  const parts = typed.split('+').map(trimmed)
  const columns = parts.map((part) => namedColumn(part, names))
  const unknown = parts.find((_, index) => columns[index] === undefined)
  if (unknown !== undefined && columns.every((column) => column === undefined) && !isOfNumbers(typed)) return undefined
  if (unknown === '') return { problem: `"${typed}" joins nothing; 8+9 joins the columns 8 and 9.` }
  if (unknown !== undefined)
    return { problem: /^\d+$/.test(unknown) ? noColumn(unknown, names) : `"${unknown}" of "${typed}" is not a column.` }
  const known = columns.flatMap((column) => column ?? [])
  const twice = known.find((column, index) => known.indexOf(column) !== index)
  if (twice !== undefined) return { problem: `"${typed}" joins the column "${twice}" to itself.` }
  const divided = known.find((column) => column.includes('+'))
  if (divided !== undefined) return { problem: `The column "${divided}" has a + in its name and cannot be joined.` }
  return { columns: known }
}

/** Columns as an answer, if none of them is one already. */
function freeColumns(
  columns: readonly string[],
  found: ReadonlyMap<string, { column: string } | { value: string }>,
): Meaning {
  for (const [field, answer] of found) {
    if (!('column' in answer)) continue
    const taken = columns.find((column) => column === answer.column || answer.column.split('+').includes(column))
    if (taken !== undefined) return { problem: `The column "${taken}" is ${field} already; < goes back.` }
  }
  return { column: columns.join('+') }
}

/** Digits, `+` and spaces number columns, and are not meant as a text. */
function isOfNumbers(typed: string): boolean {
  return /^[\d+\s]+$/.test(typed)
}

function isPhone(typed: string): boolean {
  return phoneOf(typed) !== undefined || isE164(typed)
}

/** Why a text cannot be the value of a field in all orders. */
function valueProblem(typed: string, field: string): string | undefined {
  if (field === 'clientOrderReference')
    return `"${typed}" is none of the columns that are not mapped, and each order has a reference of its own.`
  if (field.startsWith('timeWindows.'))
    return `"${typed}" is none of the columns that are not mapped, which say when each order is wanted.`
  if (field === 'dropoff.address' && postalCodeOf(typed) === undefined)
    return `"${typed}" is none of the columns, and no address: expected street, city, ST 12345.`
  if (field === 'dropoff.contactPhone' && !isPhone(typed))
    return `"${typed}" is none of the columns, and no phone, such as +12025550123.`
  // A store may have a long number.
  const isNumber = field === 'pickup.storeReference' && /^\d+$/.test(typed)
  if (field !== 'dropoff.contactPhone' && isOfNumbers(typed) && !isNumber)
    return `"${typed}" is none of the columns, and no value for all orders; 8+9 joins the columns 8 and 9.`
  return undefined
}

/** The values that a mapping gives to all orders, for a person. */
export function valueSentences({ values = {} }: ProposedMap): string[] {
  return Object.entries(values).map(
    ([field, value]) =>
      `${field} is ${plainText(typeof value === 'string' ? value : JSON.stringify(value))} in all orders that lack it.`,
  )
}
