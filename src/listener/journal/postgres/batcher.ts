/** Does one batch after another: while one is under way the next one gathers. */
export function batcher<Item>(run: (batch: readonly Item[]) => Promise<void>): (item: Item) => void {
  const waiting: Item[] = []
  let isRunning = false
  const work = async () => {
    while (waiting.length > 0) await run(waiting.splice(0))
    isRunning = false
  }
  return (item) => {
    waiting.push(item)
    if (isRunning) return
    isRunning = true
    setImmediate(work)
  }
}
