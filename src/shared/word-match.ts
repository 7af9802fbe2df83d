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
