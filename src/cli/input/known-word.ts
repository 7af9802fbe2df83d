import { UsageError } from '../../contract/index.js'
import { suggestions } from '../process/suggestions.js'

/** Where a word was given and what it should be, for an error. */
export interface WordPlace {
  flag: string
  /** With its article: `a status`, `an event type`. */
  noun: string
}

/** The error for a word that is none of the known ones: names the flag and the value, and suggests the nearest. */
export function unknownWordError(word: string, known: readonly string[], { flag, noun }: WordPlace): UsageError {
  const [near] = suggestions(word.slice(0, 80), known, 1)
  return new UsageError(`${flag}: "${word.slice(0, 80)}" is not ${noun}.`, {
    hint: near === undefined ? `Expected one of ${known.join(', ')}.` : `Did you mean "${near}"?`,
  })
}
