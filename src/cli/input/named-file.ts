import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { UsageError } from '../../contract/index.js'
import { fileReasons } from '../../shared/node-errors.js'
import { suggestions } from '../../shared/word-match.js'
import type { ProcessContext } from '../process/context.js'

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
