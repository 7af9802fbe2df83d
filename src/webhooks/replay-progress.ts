import { existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../shared/directory.js'

/** Which events of a replay have been accepted, so that the same replay continues after a stop or a crash. */
export interface ReplayProgress {
  has(eventId: string): boolean
  /** Resolves once the event is remembered durably. */
  add(eventId: string): Promise<void>
}

/** Progress in a file, one event id a line. */
export interface ReplayProgressFile extends ReplayProgress {
  /** Forgets everything: the next replay starts from the beginning. */
  clear(): void
}

/**
 * Progress that survives a crash: each id is synced to disk before the next event is sent. A line that a crash cut off
 * is dropped.
 *
 * @throws the file system's error if the file cannot be read or written
 */
export function replayProgressFile(file: string): ReplayProgressFile {
  const sent = new Set(readLines(file))
  return {
    has: (eventId) => sent.has(eventId),
    async add(eventId) {
      makeFolder(dirname(file))
      const handle = await open(file, 'a', 0o600)
      try {
        await handle.appendFile(`${eventId}\n`)
        await handle.sync()
      } finally {
        await handle.close()
      }
      sent.add(eventId)
    },
    clear() {
      sent.clear()
      rmSync(file, { force: true })
    },
  }
}

function readLines(file: string): string[] {
  if (!existsSync(file)) return []
  const bytes = readFileSync(file)
  const end = bytes.lastIndexOf('\n') + 1
  if (end < bytes.length) truncateSync(file, end)
  return bytes
    .toString('utf8', 0, end)
    .split('\n')
    .filter((line) => line !== '')
}
