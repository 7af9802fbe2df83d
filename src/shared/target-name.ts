import { sha256 } from './crypto.js'
import { shownUrl, webAddress } from './web-address.js'

/**
 * The name of a target in output, records and metrics: its address without user, password and query, and, if it has any of
 * them, a mark of the whole, such as `http://localhost/i.php#3f2a9c`. Two targets have two names, and every process gives
 * the same ones.
 */
export function targetName(text: string): string {
  const url = webAddress(text)
  if (url === undefined) return shownUrl(text)
  const isWhole = url.username === '' && url.password === '' && url.search === ''
  return isWhole ? shownUrl(text) : `${shownUrl(text)}#${sha256(text, 'hex').slice(0, 6)}`
}

/** Which of these names a word means: a name, or the address of one; without its query it may mean several. */
export function namesMeant(word: string, names: readonly string[]): string[] {
  if (names.includes(word)) return [word]
  if (word.includes('#')) return []
  const name = targetName(word)
  if (names.includes(name)) return [name]
  return name === shownUrl(word) ? names.filter((one) => one.split('#')[0] === name) : []
}

/** The addresses that a word means, by their names. */
export function targetsMeant(word: string, known: readonly string[]): string[] {
  if (known.includes(word)) return [word]
  const names = new Set(namesMeant(word, known.map(targetName)))
  return known.filter((url) => names.has(targetName(url)))
}
