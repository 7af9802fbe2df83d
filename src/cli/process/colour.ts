type Environment = Readonly<Record<string, string | undefined>>

/** Whether an on/off variable is on. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false'
}

/**
 * Whether a stream gets colour, by the first of these that decides: `--color`/`--no-color`, `NO_COLOR`,
 * `FORCE_COLOR`/`CLICOLOR_FORCE`, `CLICOLOR=0`, `TERM=dumb`, whether the stream is a terminal.
 */
export function wantsColour(flag: boolean | undefined, env: Environment, isTerminal: boolean): boolean {
  if (flag !== undefined) return flag
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR === '' || isSet(env.FORCE_COLOR)
  if (isSet(env.CLICOLOR_FORCE)) return true
  if (env.CLICOLOR === '0' || env.TERM === 'dumb') return false
  return isTerminal
}

/** `--color` or `--no-color` on a command line, the last one given; `undefined` if there is neither. */
export function colourFlag(argv: readonly string[]): boolean | undefined {
  const end = argv.indexOf('--')
  const flags = (end === -1 ? argv : argv.slice(0, end)).filter((word) => word === '--color' || word === '--no-color')
  const last = flags.at(-1)
  return last === undefined ? undefined : last === '--color'
}
