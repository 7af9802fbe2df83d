import type { FileHandle } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Appends lines to a file, durably if requested. */
export interface GroupWriter {
  /** Resolves when the line is on disk. Many lines share one write and one sync. */
  appendDurably(line: string): Promise<void>
  /** Resolves when the line is written. It survives a crash of the process, but not one of the machine. */
  append(line: string): Promise<void>
  /** Writes what is pending without waiting for more. */
  flush(): void
  /** Why writing failed; nothing is written after that. */
  failure(): unknown
  /** Writes what is pending and syncs. */
  finish(): Promise<void>
}

interface Batch {
  lines: string[]
  isDurable: boolean
  written: PromiseWithResolvers<void>
}

/** How long lines that need not be durable are buffered: one write per row would cost more than the rest of its work. */
const gatheringMs = 20

/** Writes to a file opened for appending. After the first failure every append rejects with it. */
export function createGroupWriter(file: Pick<FileHandle, 'write' | 'datasync'>): GroupWriter {
  let pending: Batch | undefined
  let isWriting = false
  let stopGathering = () => {}
  let failure: unknown
  let idle: Promise<void> = Promise.resolve()

  function enqueue(line: string, isDurable: boolean): Promise<void> {
    if (failure !== undefined) return Promise.reject(failure)
    pending ??= newBatch()
    pending.lines.push(line)
    if (isDurable && !pending.isDurable) {
      pending.isDurable = true
      stopGathering()
    }
    const { promise } = pending.written
    if (!isWriting) idle = drain()
    return promise
  }

  async function drain(): Promise<void> {
    isWriting = true
    while (pending !== undefined) {
      // Lines that are appended in the same turn join the batch.
      await (pending.isDurable ? nextTurn() : gather())
      const batch = pending
      pending = undefined
      try {
        if (failure !== undefined) throw failure
        await writeAll(Buffer.from(`${batch.lines.join('\n')}\n`))
        if (batch.isDurable) await file.datasync()
        batch.written.resolve()
      } catch (error) {
        failure = error
        batch.written.reject(error)
      }
    }
    isWriting = false
  }

  /** Waits for more lines, until the time is up or a durable line is appended. */
  function gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, gatheringMs)
      stopGathering = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Writes in several steps if needed: a disk that is nearly full writes a part and fails at the next attempt. */
  async function writeAll(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, start)
      start += bytesWritten
    }
  }

  return {
    appendDurably: (line) => enqueue(line, true),
    append: (line) => enqueue(line, false),
    flush: () => stopGathering(),
    failure: () => failure,
    async finish() {
      stopGathering()
      await idle
      if (failure === undefined) await file.datasync()
    },
  }
}

function newBatch(): Batch {
  const written = Promise.withResolvers<void>()
  // A rejection that nobody awaits must not end the process; the next append rejects with the same failure.
  written.promise.catch(() => undefined)
  return { lines: [], isDurable: false, written }
}
