import { UsageError } from '../../contract/index.js'
import type { ProcessContext } from '../process/context.js'
import { readInputText } from './read.js'

/** Ids from the arguments; `-` stands for those on standard input, the first word of each line. */
export async function idsOf(context: ProcessContext, given: string | readonly string[] | undefined): Promise<string[]> {
  const words = given === undefined ? [] : typeof given === 'string' ? [given] : given
  const ids: string[] = []
  for (const word of words) {
    if (word !== '-') ids.push(word)
    else
      ids.push(
        ...(await readInputText(context, '-', 'Id'))
          .split('\n')
          .map((line) => line.trim().split(/\s+/)[0] ?? '')
          .filter((id) => id !== ''),
      )
  }
  if (words.includes('-') && ids.length === 0) throw new UsageError('No ids on standard input.')
  return ids
}
