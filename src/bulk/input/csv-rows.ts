import { z } from 'zod'
import { UsageError, unsafeKeys } from '../../contract/index.js'
import { readJsonText } from '../../shared/json.js'
import { type ColumnNames, mapHeader } from './column-names.js'
import { CsvReader, type CsvRecord } from './csv-records.js'
import { type InputRow, type RowParser, rejectionNames } from './row-source.js'

/** How a column's cells are read, by the schema of its field. */
type CellKind = 'text' | 'whole number' | 'number' | 'true or false' | 'list' | 'JSON'

interface Column {
  /** The name in the header. */
  name: string
  path: string[]
  kind: CellKind
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
      column !== undefined && this.texts.includes(column.path.join('.'))
        ? { ...column, kind: 'text' as const }
        : column,
    )
    this.#columns = columns
    return rest.map((record) => this.#read(record, columns))
  }

  #readHeader(cells: readonly string[]): readonly (Column | undefined)[] {
    if (this.names === undefined)
      return distinct(
        cells.map((cell) => (isRejection(cell.trim()) ? undefined : readColumn(cell.trim(), cell.trim(), this.schema))),
      )
    const leftOut: string[] = []
    const columns = mapHeader(cells, this.names).map(({ path, isMapped }, index) => {
      if (isMapped || isField(this.schema, path)) return readColumn(cells[index]?.trim() ?? '', path, this.schema)
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
  return !path.includes('') && !path.some((part) => unsafeKeys.has(part)) && kindAt(schema, path) !== undefined
}

function readColumn(name: string, field: string, schema: z.ZodType): Column {
  const path = field.split('.')
  const isForbidden = path.some((part) => unsafeKeys.has(part))
  const kind = isForbidden ? undefined : kindAt(schema, path)
  if (kind === undefined || path.includes(''))
    throw new UsageError(`The column "${field.slice(0, 80)}" is not a field of the request`, {
      hint: 'Name columns as the fields are, with dots: dropoff.contactPhone. Or map them (columns, --map). Columns of your own: metadata.name.',
    })
  return { name, path, kind }
}

/** The kind of the field at a path; `undefined` if there is none. */
function kindAt(schema: z.ZodType, path: readonly string[]): CellKind | undefined {
  const [name, ...rest] = path
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return kindAt(schema.unwrap() as z.ZodType, path)
  if (schema instanceof z.ZodUnion) {
    const kinds = (schema.options as z.ZodType[]).map((option) => kindAt(option, path))
    return kinds.find((kind) => kind === 'text') ?? kinds.find((kind) => kind !== undefined)
  }
  if (name === undefined) return kindOf(schema)
  if (schema instanceof z.ZodRecord) return rest.length === 0 ? 'text' : kindAt(schema, rest)
  if (!(schema instanceof z.ZodObject) || !Object.hasOwn(schema.shape, name)) return undefined
  return kindAt(schema.shape[name] as z.ZodType, rest)
}

function kindOf(schema: z.ZodType): CellKind {
  if (schema instanceof z.ZodNumber) return schema.format === 'safeint' || schema.isInt ? 'whole number' : 'number'
  if (schema instanceof z.ZodBoolean) return 'true or false'
  if (schema instanceof z.ZodArray) return 'list'
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return 'JSON'
  return 'text'
}

function readRecord(
  row: number,
  line: number,
  columns: readonly (Column | undefined)[],
  cells: readonly string[],
): InputRow {
  const value: Record<string, unknown> = {}
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '' || column === undefined) continue
    const content = readCell(cell, column.kind)
    if ('problem' in content) {
      const at = columns.findIndex((other) => other?.path.join('.') === 'clientOrderReference')
      const isTip = column.path.join('.') === 'tipAmountCents'
      const cents = isTip ? ' of cents; dlv reads tips in dollars with --us-tips' : ''
      return {
        row,
        line,
        problem: `row ${row} (line ${line}), column ${column.name}: "${cell.slice(0, 80)}" ${content.problem}${cents}`,
        ...(cells[at] ? { clientOrderReference: cells[at] } : {}),
      }
    }
    put(value, column.path, content.value)
  }
  return { row, line, value }
}

/** The content of a cell, or what is wrong with it as the end of a sentence. */
type Content = { value: unknown } | { problem: string }

function readCell(cell: string, kind: CellKind): Content {
  const problem = `is not a ${kind}`
  switch (kind) {
    case 'text':
      return { value: cell }
    case 'whole number':
      return /^-?\d{1,15}$/.test(cell.trim()) ? { value: Number(cell) } : { problem }
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(cell.trim()) ? { value: Number(cell) } : { problem }
    case 'true or false':
      return /^(?:true|false)$/i.test(cell.trim()) ? { value: cell.trim().toLowerCase() === 'true' } : { problem }
    case 'list':
      return /^\s*[[{]/.test(cell) ? readJson(cell) : { value: cell.split(';').map((element) => element.trim()) }
    case 'JSON':
      return readJson(cell)
  }
}

function readJson(cell: string): Content {
  const reading = readJsonText(cell)
  if ('fault' in reading) return { problem: reading.fault === 'depth' ? reading.message : 'is not JSON' }
  const { value } = reading
  return typeof value === 'object' && value !== null ? { value } : { problem: 'is neither an object nor an array' }
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
