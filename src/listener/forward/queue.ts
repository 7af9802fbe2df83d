import type { Pending, PendingForward } from '../journal/forwards.js'

/** How many may be at work at once, and who waits for a place. */
export class Turns {
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly count: number) {}

  enter(): Promise<void> {
    if (this.running < this.count) {
      this.running++
      return Promise.resolve()
    }
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  leave(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.running--
    else next()
  }
}

/** Does work in order within a lane and in parallel across lanes, with a bound on what runs at once. */
interface OrderedWorkQueue<Work> {
  add(lane: string, work: Work): void
  /** Resolves once no work is left. */
  idle(): Promise<void>
  /** Number of items waiting or running. */
  size(): number
}

/**
 * @param turns how much work may run at once; `pause` gives its place to others meanwhile
 * @param run does one piece of work; it must not reject
 */
function orderedWorkQueue<Work>(
  turns: Turns,
  run: (work: Work, pause: <Result>(wait: () => Promise<Result>) => Promise<Result>) => Promise<void>,
): OrderedWorkQueue<Work> {
  const waiting = new Map<string, Work[]>()
  const idlers: (() => void)[] = []
  let size = 0

  const pause = async <Result>(wait: () => Promise<Result>) => {
    turns.leave()
    try {
      return await wait()
    } finally {
      await turns.enter()
    }
  }

  async function work(lane: string, queue: Work[]) {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      await turns.enter()
      await run(next, pause)
      turns.leave()
      queue.shift()
      size--
    }
    waiting.delete(lane)
    if (size === 0) for (const resolve of idlers.splice(0)) resolve()
  }

  return {
    add(lane, piece) {
      size++
      const queue = waiting.get(lane)
      if (queue !== undefined) {
        queue.push(piece)
        return
      }
      const started = [piece]
      waiting.set(lane, started)
      void work(lane, started)
    },
    idle: () => (size === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
    size: () => size,
  }
}

/** The events that wait for one target: a window of them in memory, the rest in the journal. */
export interface ForwardQueue {
  /** Takes an event that was just appended. */
  add(event: PendingForward): void
  /** The journal may hold more: reads it, once there is room. */
  look(): void
  /** Resolves once nothing is held and nothing is being read. */
  idle(): Promise<void>
}

export interface ForwardQueueOptions {
  /** How many are posted at once. */
  turns: Turns
  /** Maximum number of events in memory; the others stay in the journal if a target is down for long. */
  windowSize: number
  /** Whether all events are added here, in their order; otherwise each addition only asks for a look at the journal. */
  isSoleWriter: boolean
  /** The next events that are not held, each lane in its order. Must not reject. */
  pending(held: ReadonlyMap<number, PendingForward>, limit: number): Promise<Pending>
  run: Parameters<typeof orderedWorkQueue<PendingForward>>[1]
  /** Called when it is removed from memory. */
  release(event: PendingForward): void
  isStopping(): boolean
}

/** Starts with what an earlier run left behind. The events of a lane are taken in their order, each once. */
export function forwardQueue(options: ForwardQueueOptions): ForwardQueue {
  const { windowSize } = options
  const held = new Map<number, PendingForward>()
  /** The newest event that was taken into memory. */
  let lastSeq = 0
  /** Whether the journal may hold events that are not in memory. */
  let isBehind = true
  let isReading = false
  let reading = Promise.resolve()
  /** Whether an event arrived while the journal was read, which the read may have missed. */
  let isOutdated = false

  const work: OrderedWorkQueue<PendingForward> = orderedWorkQueue(options.turns, async (event, pause) => {
    await options.run(event, pause)
    held.delete(event.seq)
    options.release(event)
    if (isBehind && held.size <= windowSize / 2) refill()
  })

  function take(event: PendingForward) {
    lastSeq = Math.max(lastSeq, event.seq)
    held.set(event.seq, event)
    work.add(event.lane, event)
  }

  function refill() {
    isBehind = true
    isOutdated = true
    if (isReading) return
    isReading = true
    reading = read()
  }

  async function read() {
    try {
      while (isOutdated && !options.isStopping()) {
        const room = windowSize - held.size
        if (room <= 0) return
        isOutdated = false
        const { forwards, hasMore } = await options.pending(held, room)
        isBehind = isOutdated || hasMore
        for (const forward of forwards) take(forward)
        // What was read in small parts is read on while there is room, without waiting for what it brought.
        if (hasMore && forwards.length > 0) isOutdated = true
      }
    } finally {
      isReading = false
    }
  }

  /** Reads new events once half the window is free. */
  function look() {
    isBehind = true
    if (held.size <= windowSize / 2) refill()
  }

  refill()
  return {
    add(event) {
      if (!options.isSoleWriter) return look()
      // What was read out of the journal already, a moment before it was handed over, must not go twice.
      if (event.seq <= lastSeq) return
      if (isReading) isOutdated = true
      isBehind ||= isOutdated || held.size >= windowSize
      if (!isBehind) take(event)
    },
    look,
    async idle() {
      while (isReading || work.size() > 0) {
        await reading
        await work.idle()
      }
    },
  }
}
