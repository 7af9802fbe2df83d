import type { PendingForward } from '../journal/forward-ledger.js'
import { type OrderedWorkQueue, orderedWorkQueue } from './ordered-work-queue.js'

/** What waits for one target: a window of it in memory, the rest in the journal. */
export interface ForwardQueue {
  add(event: PendingForward): void
  idle(): Promise<void>
}

export interface ForwardQueueOptions {
  concurrency: number
  /** How many events are held in memory at most; a target that is down for long leaves the others in the journal. */
  windowSize: number
  /** The next events behind `afterSeq`, oldest first. */
  pending(afterSeq: number, limit: number): PendingForward[]
  run: Parameters<typeof orderedWorkQueue<PendingForward>>[1]
  isStopping(): boolean
}

/** Starts with what an earlier run left behind. Events are taken in the order of their numbers, each once. */
export function forwardQueue(options: ForwardQueueOptions): ForwardQueue {
  const { windowSize } = options
  /** The newest event that was taken into memory. */
  let lastSeq = 0
  let isBehind = true

  const held: OrderedWorkQueue<PendingForward> = orderedWorkQueue(options.concurrency, async (event, pause) => {
    await options.run(event, pause)
    if (isBehind && held.size() <= windowSize / 2) refill()
  })

  function take(event: PendingForward) {
    lastSeq = event.seq
    held.add(event.lane, event)
  }

  function refill() {
    if (options.isStopping()) return
    const room = windowSize - held.size()
    const events = options.pending(lastSeq, room)
    isBehind = events.length === room
    for (const event of events) take(event)
  }

  refill()
  return {
    add(event) {
      // What was read out of the journal already, a moment before it was handed over, must not go twice.
      if (event.seq <= lastSeq) return
      isBehind ||= held.size() >= windowSize
      if (!isBehind) take(event)
    },
    idle: held.idle,
  }
}
