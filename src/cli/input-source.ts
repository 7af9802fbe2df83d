import { createReadStream, type Stats, statSync } from 'node:fs'
import { UsageError } from '../contract/index.js'

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
  if (name === '-') return { bytes: standardInput(), bytesTotal: undefined, what: 'Standard input' }
  const stats = fileStats(name)
  // A pipe or device has no length of its own.
  return { bytes: createReadStream(name), bytesTotal: stats.isFile() ? stats.size : undefined, what: name }
}

function fileStats(name: string): Stats {
  try {
    const stats = statSync(name)
    if (!stats.isDirectory()) return stats
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new UsageError(`--file ${name} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}.`, {
      cause,
    })
  }
  throw new UsageError(`--file ${name} cannot be read: it is a folder.`)
}

function standardInput(): AsyncIterable<Uint8Array> {
  if (process.stdin.isTTY === true)
    throw new UsageError('--file - reads standard input, and nothing is piped into it.', {
      hint: 'Pipe something in, or name a file.',
    })
  return process.stdin as AsyncIterable<Uint8Array>
}
