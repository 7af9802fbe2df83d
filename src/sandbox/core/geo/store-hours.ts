import type { Store } from './stores.js'
import { addDays, localDateOf, localTimeToMs } from './zoned-time.js'

/** When packages can be fetched from a store, every day, in its own zone. */
export const storeHours = { open: '06:00', close: '23:00' } as const

/** Whether the store is open at some moment of a window; for a single moment give it as both ends. */
export function opensForPickup(store: Pick<Store, 'timezone'>, fromMs: number, toMs: number): boolean {
  const first = localDateOf(fromMs, store.timezone)
  const today = hoursOf(store, first)
  if (fromMs < today.closeMs && toMs >= today.openMs) return true
  return toMs >= hoursOf(store, addDays(first, 1)).openMs
}

function hoursOf(store: Pick<Store, 'timezone'>, date: { year: number; month: number; day: number }) {
  return {
    openMs: localTimeToMs(date, storeHours.open, store.timezone),
    closeMs: localTimeToMs(date, storeHours.close, store.timezone),
  }
}
