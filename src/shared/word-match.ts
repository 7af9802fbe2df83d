import { UsageError } from './dlv-error.js'

/** The number of single-character edits between two words (Levenshtein distance). */
function levenshtein(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const change = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}

/** The known words most similar to what was typed, best first; empty if none is similar. */
export function suggestions(typed: string, known: readonly string[], count = 3): string[] {
  // Any word is within two edits of a short one.
  const limit = typed.length < 4 ? typed.length / 3 : Math.max(2, Math.floor(typed.length / 3))
  return known
    .map((word) => ({ word, off: word.startsWith(typed) && typed.length > 1 ? 0.5 : levenshtein(typed, word) }))
    .filter(({ off }) => off <= limit)
    .sort((a, b) => a.off - b.off)
    .slice(0, count)
    .map(({ word }) => word)
}

/** The question that a hint asks after similar words; `undefined` without any. */
export function didYouMean(words: readonly string[]): string | undefined {
  return words.length === 0 ? undefined : `Did you mean ${words.map((word) => `"${word}"`).join(' or ')}?`
}

/** Longer texts match no pattern but `*`: event types are short, and the search for a part takes part × text steps. */
const longestText = 1_000

/** Whether a text is what a pattern says, in which `*` stands for any characters. */
export function matchesStars(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  if (pattern === '*') return true
  if (text.length > longestText) return false
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop() ?? ''
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= text.length - last.length
}

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
