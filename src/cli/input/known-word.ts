import { UsageError } from '../../contract/index.js'
import { didYouMean, suggestions } from '../../shared/word-match.js'
import type { Notices } from '../output/notices.js'

/** The source of a word and what it should be, for an error. */
interface WordPlace {
  flag: string
  /** With its article: `a status`, `an event type`. */
  noun: string
}

/** The error for an unknown word: names the flag and the value, and suggests the most similar known word. */
export function unknownWordError(word: string, known: readonly string[], { flag, noun }: WordPlace): UsageError {
  const near = suggestions(word.slice(0, 80), known, 1)
  return new UsageError(`${flag}: "${word.slice(0, 80)}" is not ${noun}.`, {
    hint: didYouMean(near) ?? `Expected one of ${known.join(', ')}.`,
  })
}

/**
 * Takes a word that this version does not know, with a notice: a newer service can have added it. Throws `UsageError` if
 * it is probably a known one misspelt, or no word of the contract's form.
 */
export function newWord(
  word: string,
  known: readonly string[],
  { flag, noun }: WordPlace,
  notices: Pick<Notices, 'notice'>,
): void {
  const isNear = suggestions(word, known, 1).length > 0
  if (isNear || !/^[a-z][\w.]{1,79}$/i.test(word)) throw unknownWordError(word, known, { flag, noun })
  notices.notice(`${flag}: "${word}" is not ${noun} that this version knows; it is used as it is.`)
}
