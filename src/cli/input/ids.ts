import { trimmed } from '../../shared/white-space.js'
import type { Notices } from '../output/notices.js'
import type { ProcessContext } from '../process/context.js'
import { readInputText } from './read.js'

/**
 * Ids from the arguments; `-` stands for those on standard input, of which `idOf` finds the one in a line: by default
 * its first word. An empty pipe is an empty result: it is said, and there is nothing to do (`undefined`).
 */
export async function idsOf(
  context: ProcessContext,
  notices: Notices,
  given: string | readonly string[] | undefined,
  idOf = (line: string) => trimmed(line).split(/\s+/)[0] ?? '',
): Promise<string[] | undefined> {
  const words = given === undefined ? [] : typeof given === 'string' ? [given] : given
  const ids: string[] = []
  for (const word of words) {
    if (word !== '-') ids.push(word)
    else ids.push(...(await idsIn(await readInputText(context, '-', 'Id'), idOf)))
  }
  if (!words.includes('-') || ids.length > 0) return ids
  notices.notice('No ids.')
  return undefined
}

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

/** The ids of lines, or of a table that lists, results and queries printed. */
async function idsIn(text: string, idOf: (line: string) => string): Promise<string[]> {
  const [first = ''] = text.trimStart().split(/[\r\n]/, 1)
  if (!nameHeader.test(first))
    return text
      .split('\n')
      .map(idOf)
      .filter((id) => id !== '')
  const { csvRecords, withoutGuards } = await import('../../bulk/internal.js')
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
