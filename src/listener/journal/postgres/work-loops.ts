import { sleep } from '../../../shared/sleep.js'

/** Processes items in batches: while one batch is under way, the items of the next one gather. `run` must not reject. */
export function batcher<Item, Result>(
  run: (batch: readonly Item[]) => Promise<(item: Item) => Result>,
): (item: Item) => Promise<Result> {
  const waiting: { item: Item; resolve(result: Result): void }[] = []
  let isRunning = false
  const work = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0)
      const resultOf = await run(batch.map(({ item }) => item))
      for (const { item, resolve } of batch) resolve(resultOf(item))
    }
    isRunning = false
  }
  return (item) =>
    new Promise((resolve) => {
      waiting.push({ item, resolve })
      if (isRunning) return
      isRunning = true
      setImmediate(work)
    })
}

/** Work that is done soon after somebody asked for it, and once however often that was. */
interface Coalesced {
  ask(): void
  /** Resolves once the work is over, when nobody asks any more. */
  idle(): Promise<void>
}

/**
 * Coalesces requests for work that may fail: it is only a help.
 *
 * @param everyMs the least time between two runs
 */
export function coalesced(everyMs: number, signal: AbortSignal, run: () => Promise<unknown>): Coalesced {
  let running: Promise<void> | undefined
  let isDue = false
  const loop = async () => {
    while (isDue && !signal.aborted) {
      isDue = false
      await run().catch(() => {})
      await sleep(everyMs, signal)
    }
    running = undefined
  }
  return {
    ask() {
      isDue = true
      if (!signal.aborted) running ??= loop()
    },
    idle: async () => running,
  }
}
