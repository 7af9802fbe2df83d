import { stripVTControlCharacters } from 'node:util'
import { DlvError, UsageError } from '../../contract/index.js'
import { shellWord } from '../../shared/command-words.js'
import { incompleteFile } from '../process/whole-files.js'
import {
  type DescribedCommand,
  type DescribedFlag,
  isOwn,
  mayHoldPassword,
  meantArgument,
  meantFlag,
  ownersOf,
  quoted,
  variableOf,
} from './unknown-command.js'

interface ParsedArg {
  name: string
  required?: boolean
  hidden?: boolean
  multiple?: boolean
}

/** The fields that we read of an error of oclif's parser. */
interface ParserError extends Error {
  args?: unknown
  flags?: unknown
  oclif?: { exit?: number }
  parse?: {
    input?: { argv?: readonly string[]; flags?: Record<string, DescribedFlag>; args?: Record<string, ParsedArg> }
    output?: { argv?: readonly unknown[] }
  }
}

/**
 * An empty value is a script's variable that was not set. Ignored, it would send the order with another account, or to the
 * address of its file; taken, it would replace a value by none.
 */
export function emptyFlag(name: string): UsageError {
  return new UsageError(`--${name} is empty: is the variable that gives its value set?`, {
    hint: 'Give it a value, or leave the flag out.',
  })
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
 * Converts a parser error to a `UsageError` in our words; `command` is the id of the command, `commands` lists all. What
 * was typed with an unknown flag is not repeated, because it may be a key. Other errors are returned unchanged.
 */
export function usageErrorOf(
  error: unknown,
  command?: string,
  commands: () => readonly DescribedCommand[] = () => [],
): unknown {
  if (!isParserError(error)) return error
  // Where a command's flags are read from a file that is empty, each of them is unknown.
  const missing = incompleteFile()
  if (missing !== undefined) return missing
  const name = command?.replaceAll(':', ' ')
  const hint = name === undefined ? 'dlv --help lists the commands.' : `See dlv ${name} --help.`
  if (Array.isArray(error.flags)) {
    const owners = (flag: string) => (command === undefined ? undefined : ownersOf(flag, command, commands()))
    const usage = name === undefined ? hint : `Usage: ${usageOf(error, name)}`
    return unknownFlags(error.flags as string[], error, { owners, usage, hint })
  }
  const valued = flagWithNeedlessValue(error)
  if (valued !== undefined) return new UsageError(`--${valued} takes no value.`, { hint })
  if (/^Missing \d+ required arg/.test(error.message) && Array.isArray(error.args))
    return missingArguments(error.args as ParsedArg[], error, name, hint)
  if (/^Unexpected argument/.test(error.message)) return tooManyArguments(error, name, hint)
  return new UsageError(parserMessage(error.message) ?? 'Cannot read the arguments of this command.', { hint })
}

function unknownFlags(
  typed: readonly string[],
  error: ParserError,
  { owners, usage, hint }: { owners(flag: string): string | undefined; usage: string; hint: string },
): UsageError {
  const { flags = {}, args = {} } = error.parse?.input ?? {}
  const names = [...new Set(typed.map(bareFlag))]
  const near = names.flatMap((name) => meantFlag(name, flags) ?? [])
  const help = () => {
    if (near.length > 0) return `Did you mean ${near.join(', ')}?`
    if (names.some((name) => Object.hasOwn(args, name.slice(2)))) return usage
    const elsewhere = names.flatMap((name) => owners(name) ?? [])
    return [...elsewhere.slice(0, 1), hint].join(' ')
  }
  return new UsageError(`Unknown flag${names.length === 1 ? '' : 's'}: ${names.join(', ')}.`, { hint: help() })
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
  const { args = {}, argv = [], flags = {} } = error.parse?.input ?? {}
  const most = Object.keys(args).length
  const extra = Array.isArray(error.args) ? error.args.map(String) : []
  const [first = ''] = extra
  const [flag, variable] = variableOf(argv, first, flags) ?? []
  if (name !== undefined && flag !== undefined && variable !== undefined)
    return new UsageError(`${flag} takes no value here, got ${quoted(first)}.`, {
      hint: `Name it in ${variable}: ${variable}=${mayHoldPassword(first) ? '…' : shellWord(first)} dlv ${name} ${flag}`,
    })
  const words = error.parse?.output?.argv?.map(String) ?? extra
  const expected =
    most === 0 ? 'no arguments, got' : `at most ${most} argument${most === 1 ? '' : 's'}, got ${words.length}:`
  const usage = name === undefined ? hint : `Usage: ${usageOf(error, name)}${ownFlagsOf(error)}`
  return new UsageError(`Expected ${expected} ${words.slice(0, 5).map(quoted).join(', ')}.`, {
    hint: (name === undefined ? undefined : meantArgument(first, name, flags)) ?? usage,
  })
}

/** The flags that take a value and are the command's own: one of them is what the argument was meant for. */
function ownFlagsOf({ parse }: ParserError): string {
  const flags = Object.entries(parse?.input?.flags ?? {})
    .filter(([, flag]) => flag.type === 'option' && isOwn(flag))
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

type Rewrite = readonly [said: RegExp, text: (...parts: string[]) => string]

/** The messages of oclif's parser in our words. */
const rewrites: readonly Rewrite[] = [
  [/^Flag (--\S+) can only be specified once$/, (flag) => `${flag} may be given only once.`],
  [/^Flag (--\S+) expects a value$/, (flag) => `${flag} needs a value.`],
  [
    /^Flag (--\S+) expects one of these values: (.+)$/,
    (flag, words) => `${flag} needs a value: ${alternatives(words)}.`,
  ],
  [
    /^Expected (--[^=]+)=(.*) to be one of: (.+)$/,
    (flag, value, words) => `${flag}: expected ${alternatives(words)}, got ${quoted(value)}.`,
  ],
  [/^Expected (.*) to be one of: (.+)$/, (value, words) => `Expected ${alternatives(words)}, got ${quoted(value)}.`],
  [
    /^Parsing (--\S+) Expected an integer but received: ?(.*)$/,
    (flag, value) => `${flag}: expected a whole number, got ${quoted(value)}.`,
  ],
  [
    /^Parsing (--\S+) Expected an integer greater than or equal to (\S+) but received: (.*)$/,
    (flag, least, value) => `${flag}: expected ${least} or more, got ${value}.`,
  ],
  [
    /^Parsing (--\S+) Expected an integer less than or equal to (\S+) but received: (.*)$/,
    (flag, most, value) => `${flag}: expected ${most} or less, got ${value}.`,
  ],
  [/^Missing required flag (\S+)$/, (flag) => `Missing flag: --${flag}.`],
  [
    /^(--[^=\s]+)=.* cannot also be provided when using (--\S+)$/,
    (flag, other) => `${[flag, other].sort().join(' and ')} cannot be used together.`,
  ],
  [
    /^All of the following must be provided when using (--\S+): (.+)$/,
    (flag, others) => `${flag} needs ${others.replaceAll(', ', ' and ')}.`,
  ],
]

/** The parser's message in our words; `undefined` for an unknown one. */
function parserMessage(message: string): string | undefined {
  const lines = stripVTControlCharacters(message)
    .replace(/\n+See more help with --help\s*$/, '')
    .replace(/^(Parsing --\S+) ?\n\s*/, '$1 ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !/^(?:$|The following errors? occurred:$)/.test(line))
  const texts = lines.map(rewritten)
  return texts.includes(undefined) || texts.length === 0 ? undefined : [...new Set(texts)].join(' ')
}

function rewritten(line: string): string | undefined {
  for (const [said, text] of rewrites) {
    const parts = said.exec(line)
    if (parts !== null) return text(...parts.slice(1))
  }
  return undefined
}

function alternatives(words: string | undefined): string {
  const all = (words ?? '').split(', ')
  return all.length === 1 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}
