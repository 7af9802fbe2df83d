import { UsageError } from '../../contract/index.js'
import type { Aliases } from './alias-file.js'

/** The maximum number of aliases that lead to each other. */
const deepest = 10

/** The expansion of an alias: words of this program, or a line for the shell. */
type Expanded = { words: string[] } | { shell: string; args: string[] }

/**
 * Expands the alias that a line begins with: `$1` and so on are replaced by the words that follow, and those that no
 * placeholder takes are added at the end. An expansion that begins with `!` is a line for the shell. Returns `undefined`
 * if the line begins with no alias.
 *
 * @throws UsageError for a loop of aliases, a quote that is not closed, and a missing word
 */
export function expandAlias(argv: readonly string[], aliases: Aliases): Expanded | undefined {
  let words = [...argv]
  const used: string[] = []
  for (;;) {
    const [name = '', ...args] = words
    const expansion = aliases.get(name)
    if (expansion === undefined) return used.length === 0 ? undefined : { words }
    used.push(name)
    if (used.indexOf(name) < used.length - 1 || used.length > deepest)
      throw new UsageError(`The alias "${used[0]}" leads to itself: ${used.join(' → ')}.`, {
        hint: `Change one of them: dlv alias set ${name} 'COMMAND'`,
      })
    if (expansion.startsWith('!')) return { shell: expansion.slice(1), args }
    words = filledIn(name, splitWords(expansion), args)
  }
}

/** The words of an expansion with its placeholders filled in; what no placeholder takes follows. */
function filledIn(name: string, words: readonly string[], args: readonly string[]): string[] {
  const taken = new Set<number>()
  const filled = words.map((word) =>
    word.replace(/\$([1-9])/g, (_, digit: string) => {
      const index = Number(digit) - 1
      const arg = args[index]
      if (arg === undefined)
        throw new UsageError(`The alias "${name}" needs ${needed(words)}, got ${args.length}.`, {
          hint: `It stands for: dlv ${words.join(' ')}`,
        })
      taken.add(index)
      return arg
    }),
  )
  return [...filled, ...args.filter((_, index) => !taken.has(index))]
}

function needed(words: readonly string[]): string {
  const digits = words.join(' ').match(/\$[1-9]/g) ?? []
  const count = Math.max(...digits.map((placeholder) => Number(placeholder.slice(1))))
  return `${count} ${count === 1 ? 'argument' : 'arguments'}`
}

/**
 * Splits a text into words as a shell does, with quotes and backslashes, and without anything else of a shell.
 *
 * @throws UsageError for a quote that is not closed
 */
export function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\' && quote === '"' && /["\\]/.test(text[at + 1] ?? '')) word += text[++at] ?? ''
      else word += character
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      word ??= ''
      if (character === "'" || character === '"') quote = character
      else if (character === '\\') word += text[++at] ?? ''
      else word += character
    }
  }
  if (quote !== '') throw new UsageError(`A quote is not closed: ${text.slice(0, 200)}`)
  return word === undefined ? words : [...words, word]
}
