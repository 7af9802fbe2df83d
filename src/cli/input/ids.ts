import { UsageError } from '../../contract/index.js'
import { trimmed } from '../../shared/texts.js'
import type { Notices } from '../output/notices.js'
import type { ProcessContext } from '../process/context.js'
import { readInputBytes } from './read.js'

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
    else ids.push(...(await idsIn(await readInputBytes(context, '-', 'Id'), idOf)))
  }
  if (!words.includes('-') || ids.length > 0) return ids
  notices.notice('No ids.')
  return undefined
}

/** The ids of lines, or of a table or workbook that lists, results and queries printed. */
async function idsIn(bytes: Uint8Array, idOf: (line: string) => string): Promise<string[]> {
  if (Buffer.from(bytes.subarray(0, 4)).toString('hex') === '504b0304') {
    const { sheetIds } = await import('./table-ids.js')
    return sheetIds(bytes, idOf)
  }
  const text = decoded(bytes)
  if (/^[^\r\n]*(?:event|delivery|reference)/i.test(text)) {
    const { tableIds } = await import('./table-ids.js')
    const ids = tableIds(text)
    if (ids !== undefined) return ids
  }
  return text
    .split('\n')
    .map(idOf)
    .filter((id) => id !== '')
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new UsageError('Id - is not UTF-8 text.', { cause })
  }
}
