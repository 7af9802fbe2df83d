import { foldersOf } from '../../shared/user-dirs.js'
import { colourFlag, wantsColour } from '../process/colour.js'
import type { ProcessContext } from '../process/context.js'
import type { CommandConfig } from '../session/session.js'
import { type Program, topicsOf, userAgentOf } from './program.js'

const helpFlags = ['--help', '-h']
/** A line of only these asks for the program's help. */
const rootHelpWords = [...helpFlags, 'help', '--color', '--no-color']

/** Finds the command that a line names and runs it, or shows help. Throws what the command throws. */
export async function dispatch(typed: string[], program: Program, context: ProcessContext): Promise<void> {
  // Before anything is loaded that other lines need.
  if (typed.every((word) => rootHelpWords.includes(word))) return showRootHelp(typed, program, context)
  const argv = await commandFirst(typed)
  if (asksForRootHelp(argv)) return showRootHelp(argv, program, context)
  const named = asksForHelp(argv) ? undefined : commandOf(argv, program)
  if (named !== undefined) return run(named.id, argv.slice(named.count), program, context)
  const isHelp = argv[0] === 'help'
  const [name, ...rest] = isHelp ? argv.slice(1) : argv
  if (name !== undefined && !name.startsWith('-') && !isOwnWord(name, program)) {
    const { userCommand } = await import('../user-commands/user-command.js')
    const words = await userCommand([name, ...rest], (word) => isBuiltIn(word, program), context, isHelp)
    if (words === 'done') return
    if (words !== undefined) return dispatch(isHelp ? ['help', ...words] : words, program, context)
  }
  const { showHelpOrSuggest } = await import('./help-or-suggest.js')
  const found = await showHelpOrSuggest(argv, asksForHelp(argv), program, context)
  if (found !== undefined) await run(found.id, argv.slice(found.count), program, context)
}

/** Whether a word begins a command, which takes no manifest to know. */
function isOwnWord(word: string, { commands }: Program): boolean {
  return Object.keys(commands).some((id) => id === word || id.startsWith(`${word}:`))
}

/** Whether a word begins a command, a topic or another name of a command, or has a meaning of its own. */
function isBuiltIn(word: string, program: Program): boolean {
  if (word === 'help' || word === 'version' || isOwnWord(word, program)) return true
  const { commands } = program.manifest()
  const aliases = Object.values(commands).flatMap((command) => command.aliases)
  return (
    aliases.some((id) => id === word || id.startsWith(`${word}:`)) ||
    topicsOf(program).some(({ name }) => name === word)
  )
}

/** The line with its command first, if global flags were typed before it. */
async function commandFirst(argv: string[]): Promise<string[]> {
  if (!argv[0]?.startsWith('-')) return argv
  const { moveLeadingFlags } = await import('./leading-flags.js')
  return moveLeadingFlags(argv)
}

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv[0] === 'help' || (end === -1 ? argv : argv.slice(0, end)).some((word) => helpFlags.includes(word))
}

async function showRootHelp(argv: readonly string[], program: Program, context: ProcessContext): Promise<void> {
  const { rootHelp } = await import('./root-help.js')
  const { env, stdout } = context
  stdout.write(`${rootHelp(program, stdout, wantsColour(colourFlag(argv), env, stdout.isTTY === true))}\n`)
}

/** Whether the line names no command and no topic. */
function asksForRootHelp(argv: readonly string[]): boolean {
  const words = argv[0] === 'help' ? argv.slice(1) : argv
  return words.length === 0 || (asksForHelp(argv) && words[0]?.startsWith('-') !== false)
}

/** The longest command that the line begins with, and its number of words. */
function commandOf(argv: readonly string[], { commands }: Program): { id: string; count: number } | undefined {
  const firstFlag = argv.findIndex((word) => word.startsWith('-'))
  for (let count = firstFlag === -1 ? argv.length : firstFlag; count > 0; count--) {
    const id = argv.slice(0, count).join(':')
    if (Object.hasOwn(commands, id)) return { id, count }
  }
  return undefined
}

interface Runnable {
  _run(): Promise<unknown>
}

async function run(id: string, argv: string[], program: Program, context: ProcessContext): Promise<void> {
  const loaded = await program.commands[id]?.()
  if (loaded === undefined) throw new Error(`The program lacks the command ${id}`)
  loaded.default.id = id
  const Class = loaded.default as unknown as new (words: string[], config: unknown) => Runnable
  await new Class(argv, commandConfig(program, context))._run()
}

/**
 * The part of oclif's `Config` that a running command reads. The real one reads a manifest of hundreds of kilobytes and
 * looks for plugins and themes, twice per run; only help and completion need what it finds.
 */
function commandConfig(program: Program, context: ProcessContext): CommandConfig {
  const { packageJson } = program
  const config = {
    ...foldersOf(context.env),
    context,
    bin: packageJson.oclif.bin ?? packageJson.name,
    name: packageJson.name,
    pjson: packageJson,
    userAgent: userAgentOf(program),
    version: packageJson.version,
    get commands() {
      return Object.values(program.manifest().commands)
    },
    get topics() {
      return topicsOf(program)
    },
    runHook: async () => ({ failures: [], successes: [] }),
    scopedEnvVar: () => undefined,
    scopedEnvVarKeys: () => [],
  }
  return config as unknown as CommandConfig
}
