const most = 12

/** The choices whose text has the letters of the query in this order; those that begin with it first. */
export function chosen<Choice extends { text: string }>(choices: readonly Choice[], query: string): Choice[] {
  const wanted = query.trim().toLowerCase()
  return choices
    .map((choice) => ({ choice, rank: rankOf(choice.text.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .slice(0, most)
    .map(({ choice }) => choice)
}

function rankOf(text: string, wanted: string): number {
  if (text.startsWith(wanted)) return 3
  if (text.includes(wanted)) return 2
  let at = -1
  for (const letter of wanted) {
    at = text.indexOf(letter, at + 1)
    if (at < 0) return 0
  }
  return 1
}
