import type { Interfaces } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import { idOf, type View } from '../../render/view.js'
import { didYouMean, suggestions } from '../../shared/word-match.js'
import { type Aliases, isUserCommandName } from './alias-file.js'
import { expandAlias, splitWords } from './expand.js'

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
