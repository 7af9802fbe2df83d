import { csvRecords, withoutGuards } from '../../bulk/internal.js'
import { trimmed } from '../../shared/white-space.js'

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
  const [header, ...records] = csvRecords(text, 'Standard input')
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
