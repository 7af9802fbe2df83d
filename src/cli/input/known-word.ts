import { UsageError } from '../../contract/index.js'
import { didYouMean, suggestions } from '../process/suggestions.js'

/** The source of a word and what it should be, for an error. */
export interface WordPlace {
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
