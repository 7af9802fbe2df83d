import { useEffect } from 'preact/hooks'
import type { LiveItem } from '../../wire/live.js'
import { onNews } from '../state/live.js'

/** News that come closer together than this are read once. */
const pauseMs = 250

/** Reads again after news that concern a screen. */
export function useReloads(reload: () => Promise<void>, concerns: (item: LiveItem) => boolean): void {
  useEffect(() => {
    let timer: number | undefined
    const stop = onNews((news) => {
      if (timer !== undefined || !news.some(concerns)) return
      timer = window.setTimeout(() => {
        timer = undefined
        void reload()
      }, pauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [reload])
}
