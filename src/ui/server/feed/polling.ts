import { sentence } from '../../../shared/texts.js'
import type { Feed } from './feed.js'

/** A place that news comes from. */
export interface Source {
  /** Asks now, for example after an action. */
  look(): Promise<void>
  stop(): void
}

/** Reads again and again while a page is open, and rests otherwise. */
export function whileWatched(
  feed: Feed,
  intervalMs: number,
  read: (isStopped: () => boolean) => Promise<void>,
  onError: (error: unknown) => void,
  /** This machine's time in milliseconds since the epoch. */
  nowMs: () => number,
): Source {
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> | undefined
  let isStopped = false

  function look(): Promise<void> {
    reading ??= read(() => isStopped)
      .then(
        () => feed.noteReading(),
        (error: unknown) => {
          if (isStopped) return
          const message = sentence(error instanceof Error ? error.message : String(error))
          feed.noteReading({ since: new Date(nowMs()).toISOString(), message })
          onError(error)
        },
      )
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  function schedule(): void {
    clearTimeout(timer)
    if (isStopped || !feed.isWatched) return
    timer = setTimeout(() => void look().then(schedule), intervalMs)
  }

  feed.onAudience = (isWatched) => {
    if (isWatched) void look().then(schedule)
    else clearTimeout(timer)
  }
  return {
    async look() {
      // What is being read now may have begun before the action.
      await reading
      await look()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
