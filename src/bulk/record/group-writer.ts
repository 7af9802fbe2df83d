import type { FileHandle } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Appends lines; those that must not be lost are on the disk when their promise resolves. */
export interface GroupWriter {
  /** Resolves when the line is on the disk: many lines share one write and one sync. */
  appendDurably(line: string): Promise<void>
  /** Resolves when the line is written; a crash of the machine may lose it, a crash of the process does not. */
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

/** How long lines that may wait are gathered: a write for each would cost more than all else in a row. */
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
      // What is appended in the same turn goes along.
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

  /** Lets lines come together until a while has passed, or one comes that must be on the disk. */
  function gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, gatheringMs)
      stopGathering = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** A disk that is nearly full takes a part, and refuses at the next try. */
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
  // A batch nobody waits for must not end the process; the failure is kept and given to the next append.
  written.promise.catch(() => undefined)
  return { lines: [], isDurable: false, written }
}
