/** Does work in order within a lane and in parallel across lanes, with a bound on what runs at once. */
export interface OrderedWorkQueue<Work> {
  add(lane: string, work: Work): void
  /** Resolves once no work is left. */
  idle(): Promise<void>
  /** Number of items waiting or running. */
  size(): number
}

/**
 * @param concurrency how much work may run at once; `pause` gives its place to others meanwhile
 * @param run does one piece of work; it must not reject
 */
export function orderedWorkQueue<Work>(
  concurrency: number,
  run: (work: Work, pause: <Result>(wait: () => Promise<Result>) => Promise<Result>) => Promise<void>,
): OrderedWorkQueue<Work> {
  const waiting = new Map<string, Work[]>()
  const turns: (() => void)[] = []
  const idlers: (() => void)[] = []
  let running = 0
  let size = 0

  const enter = () => {
    if (running < concurrency) {
      running++
      return Promise.resolve()
    }
    return new Promise<void>((resolve) => turns.push(resolve))
  }
  const leave = () => {
    const next = turns.shift()
    if (next === undefined) running--
    else next()
  }
  const pause = async <Result>(wait: () => Promise<Result>) => {
    leave()
    try {
      return await wait()
    } finally {
      await enter()
    }
  }

  async function work(lane: string, queue: Work[]) {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      await enter()
      await run(next, pause)
      leave()
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
