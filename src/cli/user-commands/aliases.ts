import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Interfaces } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import { idOf, type View } from '../../render/view.js'
import { makeFolder, readBoundedFile, replacePrivateFile } from '../../shared/directory.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { didYouMean, suggestions } from '../../shared/word-match.js'

/** Expansions by name. */
export type Aliases = ReadonlyMap<string, string>

const namePattern = /^[A-Za-z][A-Za-z0-9-]{0,39}$/

/** Whether a word can be the name of an alias, and of a program `dlv-NAME`: no path, no flag. */
export function isUserCommandName(word: string): boolean {
  return namePattern.test(word)
}

/**
 * Reads the aliases; none if the file does not exist.
 *
 * @throws UsageError for a file that is not a JSON object of texts
 */
export function readAliases(configDir: string): Map<string, string> {
  const file = aliasFile(configDir)
  if (!existsSync(file)) return new Map()
  const aliases = tryParseJson(fileText(file))?.value
  if (!isRecord(aliases) || Object.values(aliases).some((expansion) => typeof expansion !== 'string'))
    throw new UsageError(`${file} is not a JSON object of aliases.`, { hint: 'Correct it, or remove it.' })
  return new Map(Object.entries(aliases as Record<string, string>).filter(([name]) => isUserCommandName(name)))
}

function fileText(file: string): string {
  try {
    return readBoundedFile(file)
  } catch (cause) {
    throw new UsageError(`Cannot read ${file}: ${(cause as Error).message}.`, {
      cause,
      hint: 'Correct it, or remove it.',
    })
  }
}

/** Writes the aliases atomically, readable only by their owner. */
export function writeAliases(configDir: string, aliases: Aliases): void {
  const file = aliasFile(configDir)
  try {
    makeFolder(configDir)
    const sorted = [...aliases].sort(([one], [other]) => (one < other ? -1 : 1))
    replacePrivateFile(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
  } catch (cause) {
    throw new UsageError(`Cannot write ${file}: ${(cause as Error).message}.`, {
      cause,
      hint: 'DLV_CONFIG_DIR chooses another directory.',
    })
  }
}

function aliasFile(configDir: string): string {
  return join(configDir, 'aliases.json')
}

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
function splitWords(text: string): string[] {
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

/** An alias as it is listed. */
export interface AliasRow {
  name: string
  expansion: string
}

export const aliasList: View<AliasRow[]> = {
  id: idOf('name'),
  empty: "No aliases. Set one: dlv alias set late 'deliveries list --problem'",
  columns: [
    { name: 'name', keep: true },
    { name: 'expansion', elastic: true },
  ],
}

/** The part of the program's configuration that the checks read. */
type Known = Pick<Interfaces.Config, 'commands' | 'topics'>

/**
 * Refuses a name that is not a word, or that a command or topic has.
 *
 * @throws UsageError
 */
export function checkAliasName(name: string, { commands, topics }: Known): void {
  if (!isUserCommandName(name))
    throw new UsageError(
      `An alias has up to 40 letters, digits and dashes, and begins with a letter; got "${name.slice(0, 80)}".`,
    )
  const taken = name === 'help' || name === 'version' || isCommandWord(name, { commands, topics })
  if (taken) throw new UsageError(`"${name}" is a command of dlv. Choose another name.`)
}

/**
 * Refuses an expansion that begins with no command, topic or alias, and one that leads back to the alias.
 *
 * @throws UsageError
 */
export function checkExpansion(name: string, expansion: string, aliases: Aliases, known: Known): void {
  if (expansion.startsWith('!')) return
  const words = splitWords(expansion)
  const [first] = words
  if (first === undefined) throw new UsageError(`The alias "${name}" must stand for something.`)
  // More words than any expansion takes, so that only a loop is refused.
  expandAlias([name, ...Array.from({ length: 9 }, () => 'x')], new Map([...aliases, [name, expansion]]))
  if (first.startsWith('-') || aliases.has(first) || isCommandWord(first, known)) return
  const names = known.commands.filter(({ hidden }) => !hidden).map(({ id }) => id.replaceAll(':', ' '))
  const near = suggestions(words.slice(0, 2).join(' '), names, 1)
  throw new UsageError(`"${first.slice(0, 80)}" is not a command.`, {
    hint: didYouMean(near) ?? 'dlv --help lists all commands.',
  })
}

function isCommandWord(word: string, { commands, topics }: Known): boolean {
  const ids = [...commands.flatMap(({ id, aliases }) => [id, ...aliases]), ...topics.map(({ name }) => name)]
  return ids.some((id) => id === word || id.startsWith(`${word}:`))
}
