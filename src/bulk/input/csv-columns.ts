import type { z } from 'zod'
import { type FieldForm, formAt, itemsCountOf, textForm, UsageError, windowIn } from '../../contract/index.js'
import { unsafeKeys } from '../../shared/unsafe-keys.js'
import { type ColumnNames, hasColumns, type NamedColumn, plainName } from './column-names.js'
import type { SheetRow } from './item-rows.js'
import { type InputRow, rejectionNames } from './row-source.js'

/** A column, or several that are one field. */
export interface Column extends NamedColumn {
  form: FieldForm
  /** The names in the path of its field. */
  names: readonly string[]
  /** Whether it holds times that are sent. */
  isTime: boolean
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
  return { value: windowIn(cell) }
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
  const last = { given: '', cell: '' }
  const readCell = cellForms.get(column.path)
  if (readCell === undefined) return { ...column, form, names: path, isTime, last }
  const cellForm = { ...form, readCell: (cell: string) => (isJson(cell) ? form : { readCell }).readCell(cell) }
  return { ...column, form: cellForm, names: path, isTime, last }
}

/** A cell of numbers, dates or choices that says nothing, as people write it. */
const nothing = /^(?:[-\u2010-\u2015\u2212]{1,2}|n\/?a)$/i

export function readRecord(
  row: number,
  { line, sheet, place, values: cells }: Extract<SheetRow, { values: string[] }>,
  columns: readonly Column[],
): InputRow {
  const value: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) {
    const [column, cell] = [columns[index], cells[index]]
    if (column === undefined || cell === undefined || cell === '') continue
    if (column.form !== textForm && cell.length <= 3 && nothing.test(cell)) continue
    if (column.form === textForm) {
      put(value, column.names, cell)
      continue
    }
    const content = readCell(column, cell)
    if ('problem' in content) {
      const at = columns.findIndex(({ path }) => path === 'clientOrderReference')
      const cents = column.path === 'tipAmountCents' ? ' of cents; { units } reads tips in dollars' : ''
      return {
        row,
        line,
        sheet,
        problem: `row ${row} (${place?.(column.indexes[0]) ?? `line ${line}`}), column ${column.name}: "${cell.slice(0, 80)}" ${content.problem}${cents}`,
        hint: content.hint,
        ...(cells[at] ? { clientOrderReference: cells[at] } : {}),
      }
    }
    put(value, column.names, content.value)
  }
  return sheet === undefined ? { row, line, value } : { row, line, sheet, value }
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

function put(target: Record<string, unknown>, path: readonly string[], content: unknown): void {
  let place = target
  for (let at = 0; at < path.length - 1; at++) {
    const part = path[at] ?? ''
    let next = place[part]
    if (next === undefined) place[part] = next = {}
    place = next as Record<string, unknown>
  }
  place[path[path.length - 1] ?? ''] = content
}
