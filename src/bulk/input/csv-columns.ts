import type { z } from 'zod'
import {
  type CellValue,
  type FieldForm,
  formAt,
  itemsCountOf,
  mayBeOffset,
  textForm,
  UsageError,
  wholeNumberForm,
  windowIn,
} from '../../contract/index.js'
import { unsafeKeys } from '../../shared/unsafe-keys.js'
import { type ColumnNames, hasColumns, type NamedColumn, plainName } from './column-names.js'
import { rejectionNames } from './row-source.js'

/** A column, or several that are one field. */
export interface Column extends NamedColumn {
  form: FieldForm
  /** The names in the path of its field. */
  names: readonly string[]
  /** The path of the object that has the field, empty for the row itself, and the name of the field in it. */
  above: string
  field: string
  /** Whether it holds times that are sent. */
  isTime: boolean
  /** Whether its cells are counts, amounts or other whole numbers. */
  isWhole: boolean
  /** Whether its texts are for some orders only, so that `N/A` says that there is none. */
  isOptional: boolean
  /** The place of the column with the zones of its times, as `-o xlsx` writes it. */
  zoneIndex?: number | undefined
  /** The cell that was read last, and its text: many rows have the same in a column. */
  last: { given: string; cell: string }
}

/** The columns of the archive, and so of `dlv query`, that name a delivery. */
export const archivedFields: ReadonlyMap<string, string> = new Map([
  ['delivery_id', 'deliveryId'],
  ['client_order_reference', 'clientOrderReference'],
])

export function isOfArchive(header: readonly string[]): boolean {
  return header.some((cell) => archivedFields.has(plainName(cell)))
}

/** Whether these cells are a header with the given columns, or with names of fields. */
export function isHeader(cells: readonly string[], schema: z.ZodType, names: ColumnNames | undefined): boolean {
  if (names !== undefined) return hasColumns(cells, names)
  return isOfArchive(cells) || cells.some((cell) => isField(schema, plainName(cell)))
}

/** Throws `UsageError` for columns of the same field, or of a field and one below it. */
export function distinct(columns: readonly Column[]): readonly Column[] {
  const names = columns.map(({ path }) => path)
  const doubled = names.find((name, index) => names.indexOf(name) !== index)
  if (doubled !== undefined)
    throw new UsageError(`The column "${doubled}" appears twice`, {
      hint: `Join columns with { columns: { "First+Second": "${doubled}" } }.`,
    })
  const clash = names.find((name) => names.some((other) => other.startsWith(`${name}.`)))
  if (clash !== undefined) throw new UsageError(`The column "${clash}" cannot be used together with columns below it`)
  return columns
}

export function isRejection(name: string): boolean {
  return (rejectionNames as readonly string[]).includes(name)
}

export function isField(schema: z.ZodType, name: string): boolean {
  const path = name.split('.')
  return !path.includes('') && !path.some((part) => unsafeKeys.has(part)) && formAt(schema, path) !== undefined
}

/** Fields whose cells sheets fill in otherwise than requests do. */
const cellForms: ReadonlyMap<string, FieldForm['readCell']> = new Map([
  ['package.itemsCount', itemsIn],
  ['timeWindows.pickup', windowOf],
  ['timeWindows.dropoff', windowOf],
])

function isJson(cell: string): boolean {
  return /^[[{]/.test(cell)
}

function itemsIn(cell: string): ReturnType<FieldForm['readCell']> {
  const value = itemsCountOf(cell)
  return value === undefined ? { problem: 'is not a number of items' } : { value }
}

function windowOf(cell: string): ReturnType<FieldForm['readCell']> {
  if (!mayBeOffset(cell)) return { value: windowIn(cell) }
  const [moment, window] = [':00-', ' - '].map((joint) => cell.replace(/ ?-(?=\d{2}:\d{2}$)/, joint))
  return {
    problem: `may be one moment with its offset, or a window over midnight: write ${moment} for the moment, ${window} for the window`,
  }
}

export function readColumn(column: NamedColumn, schema: z.ZodType): Column {
  const path = column.path.split('.')
  const isForbidden = path.some((part) => unsafeKeys.has(part))
  const form = isForbidden ? undefined : formAt(schema, path)
  if (form === undefined || path.includes(''))
    throw new UsageError(`The column "${column.path.slice(0, 80)}" is not a field of the request`, {
      hint: 'Name columns as the fields are, with dots: dropoff.contactPhone. Or map them with { columns }. Columns of your own: metadata.name.',
    })
  const isTime = /^timeWindows\.|^deliverAt$/.test(column.path)
  const readCell = cellForms.get(column.path)
  return {
    ...column,
    form:
      readCell === undefined
        ? form
        : { ...form, readCell: (cell) => (isJson(cell) ? form.readCell(cell) : readCell(cell)) },
    names: path,
    above: keyOf(path.slice(0, -1).join('.')),
    field: keyOf(path.at(-1) ?? ''),
    isTime,
    isWhole: form === wholeNumberForm,
    isOptional: optionalTexts.test(column.path),
    last: { given: '', cell: '' },
  }
}

/** A name as the engine keeps names of properties: others are looked up each time that they are used. */
function keyOf(name: string): string {
  return Object.keys({ [name]: 0 })[0] ?? ''
}

/** A cell of numbers, dates or choices that says nothing, as people write it. */
const nothing = /^(?:[-\u2010-\u2015\u2212]{1,2}|n\/?a)$/i

const optionalTexts =
  /^(?:dropoff\.(?:instructions|address\.line2|installation\.(?:code|gate)|unit\.\w+)|pickup\.instructions|package\.description)$/
const noText = /^(?:[-\u2010-\u2015\u2212]{1,2}|n\/?a|na[nt]|none|nil)$/i

/** Whether a text of what few orders have says that this one has none, as people and programs write it. */
export function isNoText(cell: string): boolean {
  return cell.length <= 4 && noText.test(cell)
}

/** The value of a row, made of its cells. */
export class RowValue {
  readonly value: Record<string, unknown> = {}
  // Columns of one object mostly follow each other.
  #object = this.value
  #above = ''

  /** Puts a cell that is not empty in its place; what is wrong with it, if it cannot be read. */
  put(column: Column, cell: string): Extract<CellValue, { problem: string }> | undefined {
    let content: unknown = cell
    const count = column.isWhole ? countIn(cell) : undefined
    if (count !== undefined) content = count
    else if (column.form !== textForm) {
      if (cell.length <= 3 && nothing.test(cell)) return undefined
      const read = readCell(column, cell)
      if ('problem' in read) return read
      content = read.value
    } else if (column.isOptional && isNoText(cell)) return undefined
    if (column.above !== this.#above) {
      this.#above = column.above
      this.#object = objectAt(this.value, column.names)
    }
    this.#object[column.field] = content
    return undefined
  }
}

/** The number that is written with digits alone, as most are; others are left to the form of the field. */
function countIn(cell: string): number | undefined {
  if (cell.length > 9) return undefined
  let count = 0
  for (let at = 0; at < cell.length; at++) {
    const digit = cell.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return undefined
    count = count * 10 + digit
  }
  return count
}

/** The problem of a cell, behind its place. */
export function cellProblem(
  column: Column,
  cell: string,
  { problem, hint }: { problem: string; hint?: string | undefined },
) {
  const cents = column.path === 'tipAmountCents' ? ' of cents; { units } reads tips in dollars' : ''
  return {
    problem: `, column ${column.name}: "${cell.slice(0, 80)}" ${problem}${cents}`,
    hint,
    cell: column.indexes[0],
  }
}

/** The value of a cell; what a field refuses with an error is a problem of the row. */
function readCell({ form }: Column, cell: string): ReturnType<FieldForm['readCell']> {
  try {
    return form.readCell(cell)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { problem: error.message.replace(/^[\w.]+: "[^"]*" (?=is not)/, ''), hint: error.hint }
  }
}

/** The object that has the last name of a path. */
function objectAt(value: Record<string, unknown>, path: readonly string[]): Record<string, unknown> {
  let place = value
  for (let at = 0; at < path.length - 1; at++) {
    const part = path[at] ?? ''
    let next = place[part]
    if (next === undefined) place[part] = next = {}
    place = next as Record<string, unknown>
  }
  return place
}
