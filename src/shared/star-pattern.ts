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
