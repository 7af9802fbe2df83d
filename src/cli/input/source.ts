import { createReadStream, type Stats, statSync } from 'node:fs'
import { standardInput, unreadable } from './read.js'

/** Bytes of a named file or of standard input. */
export interface InputSource {
  bytes: AsyncIterable<Uint8Array>
  /** The whole in bytes; `undefined` for standard input. */
  bytesTotal: number | undefined
  /** What an error calls it. */
  what: string
}

/** Opens `--file`: a file, or standard input where the name is `-`. Throws `UsageError` that says why it cannot be read. */
export function inputSource(name: string): InputSource {
  if (name === '-') return { bytes: standardInput('--file'), bytesTotal: undefined, what: 'Standard input' }
  const stats = fileStats(name)
  // A pipe or device has no length of its own.
  return { bytes: createReadStream(name), bytesTotal: stats.isFile() ? stats.size : undefined, what: name }
}

function fileStats(name: string): Stats {
  let stats: Stats
  try {
    stats = statSync(name)
  } catch (cause) {
    throw unreadable(name, '--file', cause)
  }
  if (stats.isDirectory()) throw unreadable(name, '--file', { code: 'EISDIR' })
  return stats
}
