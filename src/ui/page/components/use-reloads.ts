import { useEffect } from 'preact/hooks'
import type { LiveItem } from '../../wire/live.js'
import { onNews } from '../state/live.js'

/** News that come closer together than this are read once. */
const pauseMs = 250
/** Reading rests this many times as long as it took: in a flood, what is slow to read must not slow down the rest. */
const restFactor = 4

/** Reads again after news that concern a screen. */
export function useReloads(reload: () => Promise<void>, concerns: (item: LiveItem) => boolean): void {
  useEffect(() => {
    let timer: number | undefined
    let isDue = false
    let isReading = false
    let isOver = false
    let restUntilMs = 0
    const plan = () => {
      if (isOver || !isDue || isReading || timer !== undefined) return
      timer = window.setTimeout(() => void read(), Math.max(pauseMs, restUntilMs - performance.now()))
    }
    const read = async () => {
      timer = undefined
      isDue = false
      isReading = true
      const startedMs = performance.now()
      await reload()
      const endedMs = performance.now()
      restUntilMs = endedMs + restFactor * (endedMs - startedMs)
      isReading = false
      plan()
    }
    const stop = onNews((news) => {
      isDue ||= news.some(concerns)
      plan()
    })
    return () => {
      stop()
      isOver = true
      clearTimeout(timer)
    }
  }, [reload])
}
