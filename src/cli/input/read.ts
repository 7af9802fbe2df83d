import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { UsageError } from '../../contract/index.js'
import { readableFile } from '../../shared/directory.js'
import { readJsonText } from '../../shared/json.js'
import type { NumberReading } from '../../shared/json-number.js'
import { fileReasons } from '../../shared/node-errors.js'
import { suggestions } from '../../shared/word-match.js'
import type { ProcessContext } from '../process/context.js'

/** The largest file that is read as a whole; larger ones are read row by row or not at all. */
const wholeInputBytes = 64 * 1_048_576

/** The largest file with a key, a secret or a certificate. */
export const keyFileBytes = 65_536

/**
 * Reads all of a file, or of standard input if the name is `-`, up to 64 MB or the given limit. A pipe that a shell puts
 * in the place of a file is read as well.
 *
 * @param flag the flag that named it, for an error
 * @throws UsageError if it cannot be read or is larger
 */
export async function readInputBytes(
  context: ProcessContext,
  name: string,
  flag: string,
  maxBytes = wholeInputBytes,
): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  try {
    const path = name === '-' ? undefined : readPathOf(context, name, flag)
    // Pipes and devices have no size: they are read until it is too much.
    if (path !== undefined && sizeOf(path) > maxBytes) throw tooLarge(name, flag, maxBytes)
    for await (const piece of path === undefined ? standardInput(context, flag) : readableFile(path)) {
      pieces.push(piece)
      length += piece.length
      if (length > maxBytes) throw tooLarge(name, flag, maxBytes)
    }
  } catch (cause) {
    throw cause instanceof UsageError ? cause : unreadable(context, name, flag, cause)
  }
  return Buffer.concat(pieces)
}

function sizeOf(path: string): number {
  const stats = statSync(path)
  return stats.isFile() ? stats.size : 0
}

function tooLarge(name: string, flag: string, maxBytes: number): UsageError {
  const limit = maxBytes < 1_048_576 ? `${maxBytes / 1_024} kB` : `${maxBytes / 1_048_576} MB`
  return new UsageError(`${flag} ${name} is larger than ${limit}.`)
}

/** Reads all of a file or of standard input as UTF-8, without a byte order mark. */
export async function readInputText(
  context: ProcessContext,
  name: string,
  flag: string,
  maxBytes?: number,
): Promise<string> {
  const bytes = await readInputBytes(context, name, flag, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new UsageError(`${flag} ${name} is not UTF-8 text.`, { cause })
  }
}

/** Standard input, if something is piped into it. Throws `UsageError` if a person would have to type it. */
export function standardInput({ stdin }: ProcessContext, flag: string): AsyncIterable<Buffer> {
  if (stdin.isTTY !== true) return stdin
  throw new UsageError(`${flag} - reads standard input, but nothing is piped into it.`, {
    hint: 'Pipe input into the command, or pass a file.',
  })
}

/** Reads a JSON file. Throws `UsageError` that names the position of the fault. */
export async function readJson(
  context: ProcessContext,
  name: string,
  flag: string,
  numbers?: NumberReading,
): Promise<unknown> {
  return parseJson(await readInputText(context, name, flag), `${flag} ${name}`, numbers)
}

/** Parses JSON; `what` names it in an error. Throws `UsageError` for text that is not JSON or is nested too deep. */
export function parseJson(text: string, what: string, numbers?: NumberReading): unknown {
  if (text.trim() === '') throw new UsageError(`${what} is empty.`)
  const reading = readJsonText(text, numbers)
  if ('value' in reading) return reading.value
  throw new UsageError(`${what} ${reading.message}.`)
}

/** The path of a file that the user named; a relative name starts from the directory of the run. */
export function pathOf(context: Pick<ProcessContext, 'cwd'>, name: string): string {
  return isAbsolute(name) ? name : resolve(context.cwd, name)
}

/** The path of a file that the command reads now, which nothing of the command is written over. */
export function readPathOf(context: ProcessContext, name: string, flag: string): string {
  const path = pathOf(context, name)
  context.filesRead ??= new Map()
  context.filesRead.set(path, flag)
  return path
}

/** The error for a file that a flag names and that cannot be read. */
export function unreadable(context: ProcessContext, name: string, flag: string, cause: unknown): UsageError {
  const { code } = cause as NodeJS.ErrnoException
  return new UsageError(`${named(flag, name)} cannot be read: ${reasonOf(cause)}.`, {
    cause,
    hint: code === 'ENOENT' || code === 'ENOTDIR' ? missingFileHint(context, name) : hintFor(code),
  })
}

/** A flag with its file; an address in its place may hold a password. */
function named(flag: string, name: string): string {
  return /^\w+:\/\//.test(name) ? flag : `${flag} ${name}`
}

/** The hint for a file that does not exist: a similar name beside it, or where its path starts. */
export function missingFileHint(context: ProcessContext, name: string): string {
  const others = namesIn(dirname(pathOf(context, name))).filter((other) => other !== basename(name))
  const [near] = suggestions(basename(name), others, 1)
  if (near !== undefined) return `Did you mean ${join(dirname(name), near)}?`
  return isAbsolute(name) ? 'Check the path.' : `Check the path, which starts from ${context.cwd}.`
}

/** The error for a file that a flag names and that cannot be written. */
export function unwritable(context: ProcessContext, name: string, flag: string, cause: unknown): UsageError {
  const { code } = cause as NodeJS.ErrnoException
  const directory = dirname(name)
  const isMissing = code === 'ENOENT' && !existsSync(pathOf(context, directory))
  return new UsageError(`${named(flag, name)} cannot be written: ${reasonOf(cause)}.`, {
    cause,
    hint: isMissing ? `Create the directory ${directory} first.` : hintFor(code),
  })
}

/** The names in a directory; none if it cannot be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  return fileReasons[code ?? ''] ?? message
}

function hintFor(code: string | undefined): string {
  if (code === 'EISDIR') return 'Name a file in it.'
  return code === 'EACCES' || code === 'EPERM' ? 'Check its permissions.' : 'Name another file.'
}
