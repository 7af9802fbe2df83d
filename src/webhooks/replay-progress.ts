import { existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from '../contract/index.js'
import { makeFolder } from '../shared/directory.js'

/** Which events of a replay have been accepted, so that the same replay continues after a stop or a crash. */
export interface ReplayProgress {
  /** Whether the event was accepted. */
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
 * @throws UsageError if the file is damaged; the file system's error if it cannot be read or written
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
  const lines = bytes.toString('utf8').split('\n')
  const cutOff = lines.pop() ?? ''
  const damaged = [...lines, ...(cutOff === '' ? [] : [cutOff])].findIndex((line) => !isEventId(line))
  if (damaged >= 0)
    throw new UsageError(`${file}, which keeps the place of this replay, is damaged at line ${damaged + 1}`, {
      hint: `Remove line ${damaged + 1} to send that event again, or the file to start from the beginning.`,
    })
  if (cutOff !== '') truncateSync(file, bytes.lastIndexOf('\n') + 1)
  return lines
}

/** Whether a line can be an event's id: bytes that are not text decode to replacement characters. */
function isEventId(line: string): boolean {
  return line !== '' && !/[\s\p{Cc}\ufffd]/u.test(line)
}
