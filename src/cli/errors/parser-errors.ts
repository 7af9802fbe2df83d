import { DlvError, UsageError } from '../../contract/index.js'
import { suggestions } from '../process/suggestions.js'
import { parserMessage } from './parser-messages.js'

interface ParsedArg {
  name: string
  required?: boolean
  hidden?: boolean
  multiple?: boolean
}

interface ParsedFlag {
  type?: string
  helpGroup?: string
  hidden?: boolean
  deprecated?: unknown
}

/** Names that other commands, or other programs, give to the same thing. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  '--from': ['--since'],
  '--since': ['--from'],
  '--to': ['--until'],
  '--until': ['--to'],
  '--file': ['--input', '--results', '--request'],
  '--input': ['--file'],
  '--data': ['--input', '--file'],
}

/** The fields that we read of an error of oclif's parser. */
interface ParserError extends Error {
  args?: unknown
  flags?: unknown
  oclif?: { exit?: number }
  parse?: {
    input?: { argv?: readonly string[]; flags?: Record<string, ParsedFlag>; args?: Record<string, ParsedArg> }
  }
}

/** Whether an error comes from oclif's parser: a wrong flag, a missing argument. */
function isParserError(error: unknown): error is ParserError {
  return error instanceof Error && !(error instanceof DlvError) && 'oclif' in error
}

/** A name typed as a flag, without a value that may follow: `--api-key=secret` gives `--api-key`. */
function bareFlag(word: string): string {
  return word.startsWith('--') ? (word.split('=')[0] ?? word).slice(0, 40) : word.slice(0, 2)
}

/**
 * Converts a parser error to a `UsageError` in our words; `command` is the id of the command. What was typed with an
 * unknown flag is not repeated, because it may be a key. Other errors are returned unchanged.
 */
export function usageErrorOf(error: unknown, command?: string): unknown {
  if (!isParserError(error)) return error
  const name = command?.replaceAll(':', ' ')
  const hint = name === undefined ? 'dlv --help lists the commands.' : `See dlv ${name} --help.`
  if (Array.isArray(error.flags)) return unknownFlags(error.flags as string[], error, hint)
  const valued = flagWithNeedlessValue(error)
  if (valued !== undefined) return new UsageError(`--${valued} takes no value.`, { hint })
  if (/^Missing \d+ required arg/.test(error.message) && Array.isArray(error.args))
    return missingArguments(error.args as ParsedArg[], error, name, hint)
  if (/^Unexpected argument/.test(error.message)) return tooManyArguments(error, name, hint)
  return new UsageError(parserMessage(error.message) ?? 'Cannot read the arguments of this command.', { hint })
}

function unknownFlags(typed: readonly string[], error: ParserError, hint: string): UsageError {
  const names = [...new Set(typed.map(bareFlag))]
  const known = Object.keys(error.parse?.input?.flags ?? {}).map((flag) => `--${flag}`)
  const near = names.flatMap((flag) => {
    const other = otherNames[flag]?.find((name) => known.includes(name))
    return other === undefined ? suggestions(flag, known, 1) : [other]
  })
  return new UsageError(`Unknown flag${names.length === 1 ? '' : 's'}: ${names.join(', ')}.`, {
    hint: near.length === 0 ? hint : `Did you mean ${near.join(', ')}?`,
  })
}

/** The parser takes what follows the equals sign of a boolean flag, as in `--json=yes`, for an argument. */
function flagWithNeedlessValue({ parse }: ParserError): string | undefined {
  const { argv = [], flags = {} } = parse?.input ?? {}
  const names = argv.flatMap((word) => /^--([\w-]+)=/.exec(word)?.[1] ?? [])
  return names.find((name) => Object.hasOwn(flags, name) && flags[name]?.type === 'boolean')
}

function missingArguments(
  args: readonly ParsedArg[],
  error: ParserError,
  name: string | undefined,
  hint: string,
): UsageError {
  const missing = args.map((arg) => arg.name.toUpperCase()).join(', ')
  return new UsageError(`Missing argument${args.length === 1 ? '' : 's'}: ${missing}.`, {
    hint: name === undefined ? hint : `Usage: ${usageOf(error, name)}`,
  })
}

function tooManyArguments(error: ParserError, name: string | undefined, hint: string): UsageError {
  const most = Object.keys(error.parse?.input?.args ?? {}).length
  const extra = Array.isArray(error.args) ? error.args.length : 1
  const expected = most === 0 ? 'no arguments' : `at most ${most} argument${most === 1 ? '' : 's'}`
  return new UsageError(`Expected ${expected}, got ${most + extra}.`, {
    hint: name === undefined ? hint : `Usage: ${usageOf(error, name)}${ownFlagsOf(error)}`,
  })
}

/** The flags that take a value and are the command's own: one of them is what the argument was meant for. */
function ownFlagsOf({ parse }: ParserError): string {
  const flags = Object.entries(parse?.input?.flags ?? {})
    .filter(
      ([, { type, helpGroup, hidden, deprecated }]) =>
        type === 'option' && helpGroup !== 'global' && hidden !== true && deprecated === undefined,
    )
    .map(([flag]) => `--${flag}`)
  return flags.length === 0
    ? ''
    : `, with ${flags.length > 6 ? `${flags.slice(0, 6).join(', ')} and others` : flags.join(', ')}`
}

/** `dlv drivers get ID [FLAGS]`. */
function usageOf(error: ParserError, name: string): string {
  const args = Object.values(error.parse?.input?.args ?? {}).filter(({ hidden }) => hidden !== true)
  const words = args.map((arg) => {
    const word = `${arg.name.toUpperCase()}${arg.multiple ? '...' : ''}`
    return arg.required ? word : `[${word}]`
  })
  return ['dlv', name, ...words, '[FLAGS]'].join(' ')
}
