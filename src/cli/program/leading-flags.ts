import { UsageError } from '../../contract/index.js'
import { suggestions } from '../../shared/word-match.js'
import { globalFlags } from '../session/global-flags.js'

interface GlobalFlag {
  name: string
  char?: string | undefined
  takesValue: boolean
}

const help: GlobalFlag = { name: 'help', char: 'h', takesValue: false }
const global: readonly GlobalFlag[] = Object.entries(globalFlags).flatMap(([name, flag]): GlobalFlag[] => {
  const takesValue = flag.type === 'option'
  const own = { name, char: flag.char, takesValue }
  return flag.type === 'boolean' && flag.allowNo ? [own, { name: `no-${name}`, takesValue }] : [own]
})
const known = [...global, help]

/**
 * Moves global flags from before the command to after its words: `--json deliveries get del_1` becomes `deliveries get
 * del_1 --json`. Throws `UsageError` for another flag there.
 */
export function moveLeadingFlags(argv: readonly string[]): string[] {
  let count = 0
  while (argv[count]?.startsWith('-')) count += widthOf(argv[count] ?? '')
  const [leading, rest] = [argv.slice(0, count), argv.slice(count)]
  if (rest.length === 0 && leading.some((word) => word === '--help' || word === '-h')) return leading
  if (rest.length === 0) throw new UsageError('No command given.', { hint: 'dlv --help lists all commands.' })
  const firstFlag = rest.findIndex((word) => word.startsWith('-'))
  return firstFlag === -1 ? [...rest, ...leading] : [...rest.slice(0, firstFlag), ...leading, ...rest.slice(firstFlag)]
}

/** The number of words that a flag takes with its value. */
function widthOf(word: string): 1 | 2 {
  const [typed = ''] = word.split('=')
  const flag = known.find(({ name, char }) =>
    word.startsWith('--') ? `--${name}` === typed : char !== undefined && word.startsWith(`-${char}`),
  )
  if (flag === undefined) throw unknownFlag(word.startsWith('--') ? typed : word.slice(0, 2))
  const hasValue = word.startsWith('--') ? word.includes('=') : word.length > 2
  return flag.takesValue && !hasValue ? 2 : 1
}

/** The error does not repeat the text after the flag's name, because it may be a key. */
function unknownFlag(typed: string): UsageError {
  if (typed === '-v') return new UsageError('Unknown flag: -v.', { hint: 'Did you mean --version or --verbose?' })
  const [near] = suggestions(typed, ['--version', ...known.map(({ name }) => `--${name}`)], 1)
  return new UsageError(`Unknown flag before the command: ${typed.slice(0, 40)}.`, {
    hint: near === undefined ? 'Only global flags can come before the command.' : `Did you mean ${near}?`,
  })
}
