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
    else
      ids.push(
        ...(await readInputText(context, '-', 'Id'))
          .split('\n')
          .map(idOf)
          .filter((id) => id !== ''),
      )
  }
  if (!words.includes('-') || ids.length > 0) return ids
  notices.notice('No ids.')
  return undefined
}
