import { UsageError } from './dlv-error.js'
import { didYouMean, suggestions } from './word-match.js'

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

/**
 * Refuses a limit that is negative, `NaN` or not a number, such as one that is made of a variable that is not set.
 *
 * @throws UsageError that names the option and the value
 */
export function assertLimits(limits: Readonly<Record<string, unknown>>, least = 0): void {
  for (const [name, value] of Object.entries(limits))
    if (value !== undefined && !(typeof value === 'number' && value >= least))
      throw new UsageError(`${name} must be a number of at least ${least}, not ${String(value)}`, {
        hint:
          name === 'timeoutMs'
            ? 'Give milliseconds, such as 60_000; 0 means no limit.'
            : 'Leave it out for the default.',
      })
}
