import type { z } from 'zod'
import { cellText, type FieldForm, formAt, textForm, UsageError, unsafeKeys } from '../../contract/index.js'
import { trimmed } from '../../shared/white-space.js'
import { type ColumnNames, mapHeader } from './column-names.js'
import { CsvReader, type CsvRecord } from './csv-records.js'
import { type InputRow, type RowParser, rejectionNames } from './row-source.js'

interface Column {
  /** The name in the header. */
  name: string
  path: string[]
  form: FieldForm
}

/**
 * Rows of a CSV with a header of dotted names, such as `dropoff.address.postalCode`. Cells are read as the schema's
 * field wants them; an empty cell leaves its field out; a list is JSON, or values separated by semicolons. A header with
 * an unknown, doubled or forbidden name is a `UsageError`.
 */
export class CsvRows implements RowParser {
  readonly #reader = new CsvReader()
  #columns: readonly (Column | undefined)[] | undefined
  #row = 0

  /**
   * @param names columns with names of their own; with them, columns that are no field are left out
   * @param onLeftOut called with the names of these
   * @param texts fields whose cells stay texts
   */
  constructor(
    private readonly schema: z.ZodType,
    private readonly names?: ColumnNames,
    private readonly onLeftOut?: (columns: readonly string[]) => void,
    private readonly texts: readonly string[] = [],
  ) {}

  push(text: string): InputRow[] {
    return this.#rowsOf(this.#reader.push(text))
  }

  end(): InputRow[] {
    return this.#rowsOf(this.#reader.end())
  }

  #rowsOf(records: readonly CsvRecord[]): InputRow[] {
    const [header, ...rest] = records
    if (header === undefined) return []
    if (this.#columns !== undefined) return records.map((record) => this.#read(record, this.#columns ?? []))
    const columns = this.#readHeader(header.cells).map((column) =>
      column !== undefined && this.texts.includes(column.path.join('.')) ? { ...column, form: textForm } : column,
    )
    this.#columns = columns
    return rest.map((record) => this.#read(record, columns))
  }

  #readHeader(cells: readonly string[]): readonly (Column | undefined)[] {
    if (this.names === undefined)
      return distinct(
        cells.map((cell) =>
          isRejection(trimmed(cell)) ? undefined : readColumn(trimmed(cell), trimmed(cell), this.schema),
        ),
      )
    const leftOut: string[] = []
    const columns = mapHeader(cells, this.names).map(({ path, isMapped }, index) => {
      if (isMapped || isField(this.schema, path)) return readColumn(trimmed(cells[index] ?? ''), path, this.schema)
      if (path !== '' && !isRejection(path)) leftOut.push(path)
      return undefined
    })
    if (leftOut.length > 0) this.onLeftOut?.(leftOut)
    return distinct(columns)
  }

  #read({ cells, line }: CsvRecord, columns: readonly (Column | undefined)[]): InputRow {
    const row = ++this.#row
    if (cells.length > columns.length)
      return { row, line, problem: `row ${row} (line ${line}) has ${cells.length} cells for ${columns.length} columns` }
    return readRecord(row, line, columns, cells)
  }
}

/** Throws `UsageError` for columns of the same field, or of a field and one below it. */
function distinct<Columns extends readonly (Column | undefined)[]>(columns: Columns): Columns {
  const names = columns.flatMap((column) => (column === undefined ? [] : [column.path.join('.')]))
  const doubled = names.find((name, index) => names.indexOf(name) !== index)
  if (doubled !== undefined) throw new UsageError(`The column "${doubled}" appears twice`)
  const clash = names.find((name) => names.some((other) => other.startsWith(`${name}.`)))
  if (clash !== undefined) throw new UsageError(`The column "${clash}" cannot be used together with columns below it`)
  return columns
}

function isRejection(name: string): boolean {
  return (rejectionNames as readonly string[]).includes(name)
}

function isField(schema: z.ZodType, name: string): boolean {
  const path = name.split('.')
  return !path.includes('') && !path.some((part) => unsafeKeys.has(part)) && formAt(schema, path) !== undefined
}

function readColumn(name: string, field: string, schema: z.ZodType): Column {
  const path = field.split('.')
  const isForbidden = path.some((part) => unsafeKeys.has(part))
  const form = isForbidden ? undefined : formAt(schema, path)
  if (form === undefined || path.includes(''))
    throw new UsageError(`The column "${field.slice(0, 80)}" is not a field of the request`, {
      hint: 'Name columns as the fields are, with dots: dropoff.contactPhone. Or map them (columns, --map). Columns of your own: metadata.name.',
    })
  return { name, path, form }
}

function readRecord(
  row: number,
  line: number,
  columns: readonly (Column | undefined)[],
  cells: readonly string[],
): InputRow {
  const value: Record<string, unknown> = {}
  for (const [index, column] of columns.entries()) {
    if (column === undefined) continue
    const cell = cellText(cells[index] ?? '')
    if (cell === '') continue
    const content = readCell(column, cell)
    if ('problem' in content) {
      const at = columns.findIndex((other) => other?.path.join('.') === 'clientOrderReference')
      const isTip = column.path.join('.') === 'tipAmountCents'
      const cents = isTip ? ' of cents; dlv reads tips in dollars with --us-tips' : ''
      return {
        row,
        line,
        problem: `row ${row} (line ${line}), column ${column.name}: "${cell.slice(0, 80)}" ${content.problem}${cents}`,
        hint: content.hint,
        ...(cells[at] ? { clientOrderReference: cellText(cells[at]) } : {}),
      }
    }
    put(value, column.path, content.value)
  }
  return { row, line, value }
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
  for (const part of path.slice(0, -1)) {
    const next = place[part] ?? {}
    place[part] = next
    place = next as Record<string, unknown>
  }
  place[path.at(-1) ?? ''] = content
}
