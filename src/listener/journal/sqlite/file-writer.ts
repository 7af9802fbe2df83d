import type { DatabaseSync } from 'node:sqlite'
import { groupWriter } from './group-writer.js'
import type { ThreadSetup } from './thread/messages.js'
import { startThreadWriter } from './thread/thread-writer.js'
import type { GroupWriter, Settle } from './writes.js'

/** Groups of this size, this many times in a row, are sustained load and not chance. */
const largeGroup = 4
const largeGroups = 8

/**
 * Writes on the database that is given, until writes come in groups: then a thread takes over, for a disk takes as long
 * to sync as a hundred webhooks take to verify. A thread costs memory and time to start, which a listener that gets an
 * event now and then is spared.
 */
export function fileWriter(database: DatabaseSync, setup: ThreadSetup, settle: Settle): GroupWriter {
  const writeHere = groupWriter(database)
  let large = 0
  let starting: Promise<void> | undefined
  let thread: GroupWriter | undefined
  const start = async () => {
    thread = await startThreadWriter(setup, settle)
  }
  return {
    takes: (size, isTurnOver) => thread?.takes(size, isTurnOver) ?? isTurnOver,
    write(group) {
      if (group.length >= largeGroup && ++large === largeGroups) starting = start()
      if (thread === undefined) settle(writeHere(group))
      else thread.write(group)
    },
    async close() {
      await starting
      await thread?.close()
    },
  }
}
