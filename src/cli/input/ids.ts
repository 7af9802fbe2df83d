import { UsageError } from '../../contract/index.js'
import type { ProcessContext } from '../process/context.js'
import { readInputText } from './read.js'

/**
 * Ids from the arguments; `-` stands for those on standard input, of which `idOf` finds the one in a line: by default
 * its first word.
 */
export async function idsOf(
  context: ProcessContext,
  given: string | readonly string[] | undefined,
  idOf = (line: string) => line.trim().split(/\s+/)[0] ?? '',
): Promise<string[]> {
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
  if (words.includes('-') && ids.length === 0)
    throw new UsageError('No ids on standard input.', { hint: 'The command before the pipe found none.' })
  return ids
}
