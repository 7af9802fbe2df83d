import { isRecord } from '../shared/json.js'

/** Parts of a structured address that a service may fill in for an address given as one line. */
const filledIn = ['city', 'state', 'postalCode', 'country'] as const
const countryWords = new Set(['us', 'usa'])

/**
 * Whether two addresses, each one line or structured, are the same place. A service may change case and punctuation and
 * fill in city, state, ZIP and country; a house number, an apartment or anything else on one side only makes them two.
 */
export function addressesAgree(asked: unknown, shown: unknown): boolean {
  const here = counted(wordsOf(asked))
  const there = counted(wordsOf(shown))
  const mayBeAdded = counted(isRecord(shown) ? filledIn.flatMap((part) => wordsIn(shown[part])) : [])
  const count = (words: ReadonlyMap<string, number>, word: string) => words.get(word) ?? 0
  return [...new Set([...here.keys(), ...there.keys()])].every((word) => {
    const surplus = count(there, word) - count(here, word)
    return surplus >= 0 && surplus <= count(mayBeAdded, word)
  })
}

function wordsOf(address: unknown): string[] {
  return isRecord(address) ? Object.values(address).flatMap(wordsIn) : wordsIn(address)
}

/** Words of letters and digits; of a ZIP the five digits that both of its forms have, of the country nothing. */
function wordsIn(text: unknown): string[] {
  if (typeof text !== 'string') return []
  const words = text.toLowerCase().match(/\b\d{5}-?\d{4}\b|[\p{L}\p{N}]+/gu) ?? []
  return words
    .filter((word) => !countryWords.has(word))
    .map((word) => (/^\d{5}-?\d{4}$/.test(word) ? word.slice(0, 5) : word))
}

function counted(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
