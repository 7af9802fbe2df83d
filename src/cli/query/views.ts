import { type ExampleQuery, type Relation, valuesNote } from '../../archive/index.js'
import { card } from '../../render/cards.js'
import { pad, plainValue, textWidth, wrap } from '../../render/plain-text.js'
import { paint, type Style } from '../../render/style.js'
import { idOf, type View } from '../../render/view.js'
import { shellWord } from '../../shared/command-words.js'
import type { Output } from '../output/output.js'
import type { RunningQuery } from './run-query.js'

type Row = Readonly<Record<string, unknown>>

/** A column that wraps keeps this width: an id and a time stay on one line. */
const narrowestWrapped = 30

/** The rows of a query as objects, and the view of their columns. Values are not cut to fit the terminal. */
export async function resultView(
  { columns, pages }: RunningQuery,
  { isJson, forPeople, style }: Pick<Output, 'isJson' | 'forPeople' | 'style'>,
): Promise<{ view: View<Row[]>; pages: AsyncIterable<Row[]> }> {
  const rest = pages[Symbol.asyncIterator]()
  const first = await rest.next()
  const firstRows: readonly unknown[][] = first.done ? [] : first.value
  const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint'
  const { wrapped, isTable } = forPeople ? fitting(columns, firstRows, style) : wholeTable
  const view: View<Row[]> = {
    id: idOf(columns[0] ?? ''),
    columns: columns.map((name, index) => ({
      name,
      header: name,
      align: isNumber(firstRows[0]?.[index]) ? 'right' : 'left',
      keep: true,
      ...(index === wrapped && { wraps: true, elastic: true }),
    })),
    empty: 'No rows.',
    ...(!isTable && { card: (rows, style) => rows.map((row) => record(columns, row, style)).join('\n') }),
  }
  const rowOf = (values: readonly unknown[]): Row =>
    isJson ? jsonRow(columns, values) : Object.fromEntries(columns.map((name, index) => [name, values[index]]))
  async function* rows(): AsyncGenerator<Row[]> {
    try {
      for (let page = first; !page.done; page = await rest.next()) yield page.value.map(rowOf)
    } finally {
      await rest.return?.()
    }
  }
  return { view, pages: rows() }
}

/** The layout of rows: a table, of which one column may wrap, or a record for each row. */
interface Fitting {
  isTable: boolean
  wrapped?: number
}

const wholeTable: Fitting = { isTable: true }

function fitting(columns: readonly string[], rows: readonly unknown[][], style: Style): Fitting {
  const widths = columns.map((name, index) =>
    rows.reduce((widest, values) => Math.max(widest, textWidth(plainValue(values[index]))), textWidth(name)),
  )
  const excess = widths.reduce((sum, width) => sum + width + 2, -2) - style.columns
  if (style.accessible || excess <= 0) return wholeTable
  const width = Math.max(...widths)
  const wrapped = widths.indexOf(width)
  const words = rows.flatMap((values) => plainValue(values[wrapped]).split(' '))
  const room = width - excess
  return { wrapped, isTable: room >= narrowestWrapped && words.every((word) => textWidth(word) <= room) }
}

/** A row that is wider than the terminal: a line for each value that is not NULL. */
function record(columns: readonly string[], row: Row, style: Style): string {
  const width = Math.max(...columns.map(textWidth))
  return card(
    '',
    columns.map((name) => [pad(name, width), plainValue(row[name])]),
    style,
  )
}

/** A row as `JSON.stringify` writes it. */
export function jsonRow(columns: readonly string[], values: readonly unknown[]): Row {
  return Object.fromEntries(columns.map((name, index) => [name, jsonValue(values[index])]))
}

/** JSON has integers of any size, `JSON.stringify` only those that a number holds. */
function jsonValue(value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value))
}

/** Tables and columns, each with its sentence. */
export const schemaView: View<readonly Relation[]> = {
  id: idOf('name'),
  rows: (relations) => relations.flatMap(({ name, columns }) => columns.map((column) => ({ table: name, ...column }))),
  columns: [{ name: 'table' }, { name: 'name', header: 'COLUMN' }, { name: 'type' }, { name: 'about' }],
  card: (relations, style) =>
    relations
      .map(({ name, kind, file, about, columns }) => {
        const width = Math.max(...columns.map((column) => textWidth(column.name))) + 2
        const where = file === 'people' ? ', with --people' : ''
        return [
          `${paint(style, 'bold', name)}  ${paint(style, 'dim', `${kind}${where}`)}`,
          ...wrap(about, style.columns - 2).map((line) => `  ${line}`),
          ...columns.flatMap((column) =>
            wrap(column.about, Math.max(30, style.columns - width - 13)).map((line, index) =>
              index === 0
                ? `    ${pad(column.name, width)}${paint(style, 'dim', pad(column.type, 9))}${line}`
                : `${' '.repeat(width + 13)}${line}`,
            ),
          ),
        ].join('\n')
      })
      .concat(wrap(valuesNote, style.columns).join('\n'))
      .join('\n\n'),
}

/** Queries as commands to copy. */
export const examplesView: View<readonly ExampleQuery[]> = {
  id: idOf('sql'),
  columns: [{ name: 'about' }, { name: 'sql' }],
  card: (examples, style) =>
    examples.map((example) => `${paint(style, 'dim', `# ${example.about}`)}\n${commandOf(example)}`).join('\n\n'),
}

/** The command line of an example. */
export function commandOf({ sql, parameters = {}, withPeople }: ExampleQuery): string {
  const params = Object.entries(parameters).map(([name, value]) => ` --param ${shellWord(`${name}=${value}`)}`)
  return `dlv query ${/'/.test(sql) ? `"${sql}"` : `'${sql}'`}${params.join('')}${withPeople ? ' --people' : ''}`
}
