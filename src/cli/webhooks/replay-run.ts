import { type ReplayInput, type ReplayResult, type ReplaySummary, replayEvents } from '../../webhooks/index.js'

/** A replay under way: its results as they come, and its sum once they have been read. */
export interface ReplayRun {
  results: AsyncIterable<ReplayResult>
  summary: Promise<ReplaySummary>
}

/** Starts a replay; what it does is read from `results`, which fail where the replay fails. */
export function startReplay(input: Omit<ReplayInput, 'onResult'>): ReplayRun {
  const waiting: ReplayResult[] = []
  let wake = () => {}
  let isOver = false
  const summary = replayEvents({
    ...input,
    onResult(result) {
      waiting.push(result)
      wake()
    },
  })
  const over = () => {
    isOver = true
    wake()
  }
  summary.then(over, over)
  async function* results() {
    for (;;) {
      yield* waiting.splice(0)
      if (isOver && waiting.length === 0) break
      if (waiting.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    await summary
  }
  return { results: results(), summary }
}
