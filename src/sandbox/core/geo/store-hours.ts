import { addDays, localDateOf, localTimeToMs } from '../../../trade/zoned-time.js'
import type { Store } from './stores.js'

/** When packages can be picked up from a store, every day, in its own zone. */
export const storeHours = { open: '06:00', close: '23:00' } as const

type Zoned = Pick<Store, 'timezone'>

export function isOpen(store: Zoned, atMs: number): boolean {
  const { openMs, closeMs } = hoursOf(store, localDateOf(atMs, store.timezone))
  return atMs >= openMs && atMs < closeMs
}

/** The first moment of a stretch of time at which the store is open; `undefined` if it is closed throughout. */
export function firstOpenMs(store: Zoned, fromMs: number, toMs: number): number | undefined {
  if (isOpen(store, fromMs)) return fromMs
  const today = localDateOf(fromMs, store.timezone)
  const openings = [today, addDays(today, 1)].map((date) => hoursOf(store, date).openMs)
  const next = openings.find((openMs) => openMs >= fromMs)
  return next !== undefined && next < toMs ? next : undefined
}

function hoursOf(store: Zoned, date: { year: number; month: number; day: number }) {
  return {
    openMs: localTimeToMs(date, storeHours.open, store.timezone),
    closeMs: localTimeToMs(date, storeHours.close, store.timezone),
  }
}
