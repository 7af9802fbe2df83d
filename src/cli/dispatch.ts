import { Config } from '@oclif/core'
import { UsageError } from '../contract/index.js'
import { type BuiltIn, loadBuiltIn } from './built-in.js'
import { DlvHelp } from './help.js'
import { UnknownCommandError } from './unknown-command.js'

const helpFlags = ['--help', '-h']

/** Finds the command that a line names and runs it, or shows help or the version. Throws what the command throws. */
export async function dispatch(argv: string[], program: string | BuiltIn): Promise<void> {
  const config = typeof program === 'string' ? await Config.load(program) : await loadBuiltIn(program)
  const end = argv.indexOf('--')
  const asksForHelp = (end === -1 ? argv : argv.slice(0, end)).some((word) => helpFlags.includes(word))
  const words = argv[0] === 'help' ? argv.slice(1) : argv
  const [first] = words
  if (first === '--version' || first === '-V' || first === 'version') {
    process.stdout.write(`${config.userAgent}\n`)
    return
  }
  if (first?.startsWith('-') && !asksForHelp)
    throw new UsageError('A command comes first, then its flags.', { hint: 'dlv --help lists the commands.' })
  const { id, count, isTopic } = find(config, words)
  if (asksForHelp || argv[0] === 'help' || count === 0 || isTopic) {
    const help = new DlvHelp(config, { flagSortOrder: 'none' })
    await help.showHelp(id === '' ? [] : id.split(':'))
    return
  }
  await config.runCommand(id, words.slice(count))
}

/** The longest command or topic that the line begins with, and how many of its words that takes. */
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
  if (words.length > 0) throw new UnknownCommandError(words[0] ?? '', commandNames(config))
  return { id: '', count: 0, isTopic: false }
}

function commandNames(config: Config): string[] {
  const names = config.commands.filter((command) => !command.hidden).map((command) => command.id.replaceAll(':', ' '))
  return [...new Set([...names, ...config.topics.map((topic) => topic.name.replaceAll(':', ' '))])]
}
