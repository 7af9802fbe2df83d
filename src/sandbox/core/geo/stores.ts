import { addDays, localDateOf, localTimeToMs } from '../../../trade/zoned-time.js'
import { slowStore, storeNoQuoteReasons, storeRefusals } from '../magic-tables.js'
import type { Point } from './geography.js'
import { registeredStores, type StoreFields } from './registered-stores.js'

/** A store that the merchant registered during onboarding. */
export interface Store extends Point {
  storeReference: string
  businessName: string
  city: string
  state: string
  postalCode: string
  timezone: string
}

/** References that play a part of the contract on purpose; all of them stand where the first store does. */
const magicStoreReferences = [slowStore, ...Object.keys(storeRefusals), ...Object.keys(storeNoQuoteReasons)]

function registeredStore(fields: StoreFields, index: number): Store {
  const [city, state, postalCode, latitude, longitude, timezone] = fields
  const number = index + 1
  return {
    storeReference: `STORE-${String(number).padStart(3, '0')}`,
    businessName: `Sandbox Market #${String(number).padStart(2, '0')}`,
    city,
    state,
    postalCode,
    latitude,
    longitude,
    timezone,
  }
}

/** Stores without magic. */
export const ordinaryStores: readonly Store[] = registeredStores.map(registeredStore)
/** The stores that orders come from unless more are asked for: those of most bases and of every branch. */
export const usualStores = ordinaryStores.slice(0, 50)
const magic = ordinaryStores
  .slice(0, 1)
  .flatMap((first) => magicStoreReferences.map((storeReference) => ({ ...first, storeReference })))

/** Every store that an order can be picked up from. */
export const stores: readonly Store[] = [...ordinaryStores, ...magic]

const byReference = new Map(stores.map((store) => [store.storeReference, store]))

export function storeByReference(storeReference: string): Store | undefined {
  return byReference.get(storeReference)
}

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
