import { csvRecords, isArchive, tableRecords, withoutGuards } from '../../bulk/internal.js'
import { trimmed } from '../../shared/texts.js'

/** Columns that name what a row is about, the first that there is counts; and what is in front of its cells. */
const nameColumns = [
  ['eventId', ''],
  ['event_id', ''],
  ['deliveryId', 'id:'],
  ['delivery_id', 'id:'],
  ['clientOrderReference', 'ref:'],
  ['client_order_reference', 'ref:'],
] as const

const nameHeader = new RegExp(
  `(?:^|[,;\\t"])\\s*(?:${nameColumns.map(([name]) => name).join('|')})\\s*(?:$|[,;\\t"\\r\\n])`,
)

/** The ids of a table that lists, results and queries printed; `undefined` if the text does not begin with its header. */
export function tableIds(text: string): string[] | undefined {
  const [first = ''] = text.trimStart().split(/[\r\n]/, 1)
  if (!nameHeader.test(first)) return undefined
  return idsOfRecords(csvRecords(text, 'Standard input'))
}

/** The ids of a workbook: of a column that names them, or of the first cells. */
export async function sheetIds(bytes: Uint8Array, idOf: (line: string) => string): Promise<string[]> {
  const records = await tableRecords([bytes], {
    what: 'Standard input',
    hiddenRows: isArchive(bytes) ? 'read' : undefined,
  })
  const names = records[0]?.cells.map(trimmed) ?? []
  if (nameColumns.some(([name]) => names.includes(name))) return idsOfRecords(records)
  return records.map(({ cells }) => idOf(cells.find((cell) => trimmed(cell) !== '') ?? '')).filter((id) => id !== '')
}

function idsOfRecords([header, ...records]: readonly { cells: readonly string[] }[]): string[] {
  const names = header?.cells.map(trimmed) ?? []
  const columns = nameColumns.filter(([name]) => names.includes(name))
  // An event is about a delivery that may have a column too.
  const used = columns.some(([, mark]) => mark === '') ? columns.slice(0, 1) : columns
  return records.flatMap(({ cells }) => {
    const found = used.map(([name, mark]) => [mark, trimmed(withoutGuards(trimmed(cells[names.indexOf(name)] ?? '')))])
    const [mark = '', cell = ''] = found.find(([, value]) => value !== '') ?? []
    return cell === '' ? [] : [`${mark}${cell}`]
  })
}
