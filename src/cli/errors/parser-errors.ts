import { DlvError, UsageError } from '../../contract/index.js'
import { suggestions } from '../process/suggestions.js'

/** What oclif's parser throws, as far as it is read here. */
interface ParserError extends Error {
  args?: unknown
  flags?: unknown
  oclif?: { exit?: number }
  parse?: { input?: { flags?: Record<string, unknown> } }
}

/** Whether an error comes from oclif's own parsing: a wrong flag, a missing argument. */
function isParserError(error: unknown): error is ParserError {
  return error instanceof Error && !(error instanceof DlvError) && 'oclif' in error
}

/** A name typed as a flag, without the value that may hang on it: `--api-key=secret` gives `--api-key`. */
function bareFlag(word: string): string {
  return word.startsWith('--') ? (word.split('=')[0] ?? word).slice(0, 40) : word.slice(0, 2)
}

/**
 * A parser's error as a `UsageError` in plain words; `command` is the id of the one that was run. What was typed beside
 * an unknown flag is not repeated: it may be a key. Other errors come back as they are.
 */
export function usageErrorOf(error: unknown, command?: string): unknown {
  if (!isParserError(error)) return error
  const hint =
    command === undefined
      ? 'dlv help, or the command with --help, shows what it takes.'
      : `dlv ${command.replaceAll(':', ' ')} --help shows what it takes.`
  if (Array.isArray(error.flags)) {
    const typed = [...new Set((error.flags as string[]).map(bareFlag))]
    const known = Object.keys(error.parse?.input?.flags ?? {}).map((name) => `--${name}`)
    const near = typed.flatMap((flag) => suggestions(flag, known, 1))
    return new UsageError(`Unknown flag${typed.length === 1 ? '' : 's'}: ${typed.join(', ')}.`, {
      hint: near.length === 0 ? hint : `Did you mean ${near.join(', ')}?`,
    })
  }
  if (error.constructor.name === 'UnexpectedArgsError' || /^Unexpected argument/.test(error.message))
    return new UsageError('More arguments than this command takes.', { hint })
  const message = error.message.replace(/\n+See more help with --help\s*$/, '').replace(/\s*\n\s*/g, ' ')
  return new UsageError(message.endsWith('.') ? message : `${message}.`, { hint })
}
