import { UsageError } from './dlv-error.js'
import { didYouMean, suggestions } from './suggestions.js'

/** The names of all options of a function; a type that gains one is incomplete here until it is listed. */
export type OptionNames<Options> = Readonly<Record<keyof Options, 0>>

/**
 * Refuses an option that a function does not have, which plain JavaScript can give it.
 *
 * @param subject the function, or the option that holds these
 * @throws UsageError that names the most similar option
 */
export function assertKnownOptions(subject: string, given: unknown, known: object): void {
  if (typeof given !== 'object' || given === null) return
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue
    const names = Object.keys(known)
    throw new UsageError(`${subject} has no option "${name}"`, {
      hint: didYouMean(suggestions(name, names, 1)) ?? `It has ${names.join(', ')}.`,
    })
  }
}
