import { z } from 'zod'
import { readRows } from '../../../bulk/index.js'
import { type TableOptions, tableRecords } from '../../../bulk/internal.js'
import { UsageError } from '../../../contract/index.js'
import { plainText } from '../../../render/plain-text.js'
import { isRecord } from '../../../shared/json.js'
import { JsonNumber } from '../../../shared/json-number.js'
import { askText } from '../../input/prompt.js'
import type { ProcessContext } from '../../process/context.js'
import type { Given, Proposal } from './propose-map.js'

/** A table that is to be mapped: its header, the rows below it, and how many of them cannot be read. */
export interface MapTable {
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
  return {
    header: first.cells,
    rows: others.flatMap(({ cells, fault }) => (fault === undefined ? [cells] : [])),
    faults: others.flatMap(({ line, fault }) =>
      fault === undefined ? [] : [`Line ${line} cannot be read: ${fault.message}`],
    ),
  }
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

/** The columns that are offered for a field that none is proposed for. */
const offered = 30

/**
 * Asks for each field that orders need and no column is proposed for: the number of a column, or a value that all orders
 * have. An empty answer leaves it open.
 */
export async function askMissing(
  context: ProcessContext,
  { missing, leftOut }: Pick<Proposal, 'missing' | 'leftOut'>,
): Promise<Required<Pick<Given, 'columns' | 'values'>>> {
  const answers = { columns: new Map<string, string>(), values: new Map<string, unknown>() }
  const open = leftOut.slice(0, offered)
  if (missing.length > 0 && open.length > 0) {
    const lines = open.map(
      ({ column, values }, index) =>
        `${String(index + 1).padStart(3)}  ${plainText(column.slice(0, 40))}${values.length === 0 ? '' : `: ${plainText((values[0] ?? '').slice(0, 40))}`}\n`,
    )
    context.stderr.write(`Columns that are not mapped:\n${lines.join('')}`)
  }
  for (const field of missing) {
    const isReference = field === 'clientOrderReference'
    const what = isReference ? 'the number of a column' : 'the number of a column, or a value for all orders'
    const text = `${field}: ${what} (Enter to leave it open):`
    const answer = await askText(context, { text, flag: '--yes', noInput: false })
    const column = /^\d{1,2}$/.test(answer) ? open[Number(answer) - 1]?.column : undefined
    if (column !== undefined) answers.columns.set(column, field)
    else if (answer !== '' && !isReference) answers.values.set(field, answer)
  }
  return answers
}
