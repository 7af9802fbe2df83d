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

/** The ids of lines, or of a table that lists, results and queries printed. */
async function idsIn(text: string, idOf: (line: string) => string): Promise<string[]> {
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
