import type { DatabaseSync } from 'node:sqlite'
import { groupWriter } from './group-writer.js'
import type { ThreadSetup } from './thread/messages.js'
import { startThreadWriter, type ThreadWriter } from './thread/thread-writer.js'
import type { GroupWriter } from './writes.js'

/** What writes a journal file. */
export interface FileWriter extends GroupWriter {
  /** Lets go of the file, once nothing is under way. */
  close(): Promise<void>
}

/** So many writes at once, so many times, are no chance any more. */
const largeGroup = 4
const largeGroups = 8

/**
 * Writes on the database that is given, until writes come in groups: then a thread takes over, for a disk takes as long
 * to sync as a hundred webhooks take to verify. A thread costs memory and time to start, which a listener that gets an
 * event now and then is spared.
 */
export function fileWriter(database: DatabaseSync, setup: ThreadSetup): FileWriter {
  const here = groupWriter(database)
  let large = 0
  let starting: Promise<void> | undefined
  let thread: ThreadWriter | undefined
  const start = async () => {
    thread = await startThreadWriter(setup)
  }
  return {
    takes: (size, isTurnOver) => (thread ?? here).takes(size, isTurnOver),
    write(group, settle) {
      if (group.length >= largeGroup && ++large === largeGroups) starting = start()
      const writer = thread ?? here
      writer.write(group, settle)
    },
    async close() {
      await starting
      await thread?.close()
    },
  }
}
