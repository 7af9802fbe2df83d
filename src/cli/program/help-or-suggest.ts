import { Config } from '@oclif/core'
import { foldersOf } from '../../shared/user-dirs.js'
import { UnknownCommandError } from '../errors/unknown-command.js'
import { colourFlag, wantsColour } from '../process/colour.js'
import type { ProcessContext } from '../process/context.js'
import { type Program, topicsOf, userAgentOf } from './program.js'

/**
 * Shows help if the line asks for it, names a topic or is empty; otherwise returns the command that an alias stands for
 * and the number of words that name it.
 *
 * @throws UnknownCommandError with a suggestion
 */
export async function showHelpOrSuggest(
  argv: readonly string[],
  asksForHelp: boolean,
  program: Program,
  context: ProcessContext,
): Promise<{ id: string; count: number } | undefined> {
  const words = argv[0] === 'help' ? argv.slice(1) : argv
  const config = oclifConfig(program, context.env)
  const { id, count, isTopic } = find(config, words)
  if (!asksForHelp && count > 0 && !isTopic) return { id: ownId(id, program), count }
  const { env, stdout } = context
  const colour = wantsColour(colourFlag(argv), env, stdout.isTTY === true)
  const { DlvHelp } = await import('./help.js')
  await new DlvHelp(config, stdout, colour).showHelp(id === '' ? [] : id.split(':'))
  return undefined
}

/** The id of the command that has this alias. */
function ownId(id: string, program: Program): string {
  const named = Object.values(program.manifest().commands).find(({ aliases }) => aliases.includes(id))
  return named?.id ?? id
}

/** The longest command or topic that the line begins with, and its number of words. */
function find(config: Config, argv: readonly string[]): { id: string; count: number; isTopic: boolean } {
  const firstFlag = argv.findIndex((word) => word.startsWith('-'))
  const words = firstFlag === -1 ? argv : argv.slice(0, firstFlag)
  for (let count = words.length; count > 0; count--) {
    const id = words.slice(0, count).join(':')
    if (config.findCommand(id) !== undefined) return { id, count, isTopic: false }
    if (config.findTopic(id) !== undefined) {
      if (count === words.length) return { id, count, isTopic: true }
      throw new UnknownCommandError(words.slice(0, count + 1).join(' '), commandNames(config))
    }
  }
  if (words.length > 0) throw new UnknownCommandError(words[0] ?? '', commandNames(config), words.slice(1))
  return { id: '', count: 0, isTopic: false }
}

function commandNames(config: Config): string[] {
  const names = config.commands.filter((command) => !command.hidden).map((command) => command.id.replaceAll(':', ' '))
  return [...new Set([...names, ...config.topics.map((topic) => topic.name.replaceAll(':', ' '))])]
}

/**
 * oclif's view of the program, for help: one plugin with the commands of the manifest. Filled in here, because oclif's
 * own loading looks for themes, shells and the user's entry in the system, and fails if there is none.
 */
function oclifConfig(program: Program, env: NodeJS.ProcessEnv): Config {
  const { packageJson } = program
  const { name, version, oclif } = packageJson
  const plugin = {
    alias: name,
    commands: Object.values(program.manifest().commands).map((cached) => ({ ...cached, pluginType: 'core' })),
    hooks: {},
    isRoot: true,
    name,
    pjson: packageJson,
    root: process.execPath,
    topics: topicsOf(program),
    type: 'core',
    valid: true,
    version,
  }
  const config = new Config({ root: process.execPath })
  Object.assign(config, foldersOf(env), {
    bin: oclif.bin ?? name,
    name,
    pjson: packageJson,
    plugins: new Map([[name, plugin]]),
    rootPlugin: plugin,
    topicSeparator: oclif.topicSeparator ?? ':',
    userAgent: userAgentOf(program),
    valid: true,
    version,
  })
  const unfilled = config as unknown as Record<'loadCommands' | 'loadTopics', (from: typeof plugin) => void>
  unfilled.loadCommands(plugin)
  unfilled.loadTopics(plugin)
  return config
}
