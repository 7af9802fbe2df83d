import { statSync } from 'node:fs'
import { UsageError } from '../../contract/index.js'
import { readableFile } from '../../shared/bounded-file.js'
import { readJsonText } from '../../shared/json.js'
import type { NumberReading } from '../../shared/json-number.js'
import type { ProcessContext } from '../process/context.js'
import { readPathOf, unreadable } from './named-file.js'

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
