import { type Stats, statSync } from 'node:fs'
import { readableFile } from '../../shared/directory.js'
import type { ProcessContext } from '../process/context.js'
import { pathOf, readPathOf, standardInput, unreadable } from './read.js'

/** The bytes of a named file or of standard input. */
interface InputSource {
  bytes: AsyncIterable<Uint8Array>
  /** The total number of bytes; `undefined` for standard input. */
  bytesTotal: number | undefined
  /** The name of the input in an error. */
  what: string
}

/**
 * Opens `--file`: a file, or standard input if the name is `-`. Throws `UsageError` that says why it cannot be read.
 */
export function inputSource(context: ProcessContext, name: string): InputSource {
  if (name === '-') return { bytes: standardInput(context, '--file'), bytesTotal: undefined, what: 'Standard input' }
  const { path, stats } = openable(context, name)
  // A pipe or device has no length.
  return { bytes: bytesOf(path), bytesTotal: stats.isFile() ? stats.size : undefined, what: name }
}

/** Whether a named input can be read only once: standard input, and a pipe such as `<(command)`. */
export function isReadOnce(context: ProcessContext, name: string): boolean {
  const stats = name === '-' ? undefined : statSync(pathOf(context, name), { throwIfNoEntry: false })
  return name === '-' || (stats !== undefined && !stats.isFile() && !stats.isDirectory())
}

/** Opens the file only when it is read, because an error of a stream without a reader would end the program. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield* readableFile(path)
}

function openable(context: ProcessContext, name: string): { path: string; stats: Stats } {
  let path: string
  let stats: Stats
  try {
    path = readPathOf(context, name, '--file')
    stats = statSync(path)
  } catch (cause) {
    throw unreadable(context, name, '--file', cause)
  }
  if (stats.isDirectory()) throw unreadable(context, name, '--file', { code: 'EISDIR' })
  return { path, stats }
}
