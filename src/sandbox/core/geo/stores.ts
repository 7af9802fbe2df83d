import { addDays, localDateOf, localTimeToMs } from '../../../trade/zoned-time.js'
import { slowStore, storeNoQuoteReasons, storeRefusals } from '../magic-tables.js'
import type { Point } from './geography.js'

/** A store that the merchant registered during onboarding. */
export interface Store extends Point {
  storeReference: string
  businessName: string
  city: string
  state: string
  postalCode: string
  timezone: string
}

type StoreFields = [city: string, state: string, postalCode: string, latitude: number, longitude: number, zone: string]

/** Stores near installations; every installation that is not a fixture has one within reach. */
const registered: readonly StoreFields[] = [
  ['Fayetteville', 'NC', '28303', 35.0856, -78.9594, 'America/New_York'],
  ['Killeen', 'TX', '76541', 31.1144, -97.7293, 'America/Chicago'],
  ['Colorado Springs', 'CO', '80909', 38.8526, -104.7743, 'America/Denver'],
  ['Sierra Vista', 'AZ', '85635', 31.5531, -110.1711, 'America/Phoenix'],
  ['Oceanside', 'CA', '92054', 33.1931, -117.3597, 'America/Los_Angeles'],
  ['Norfolk', 'VA', '23505', 36.9129, -76.2996, 'America/New_York'],
  ['Honolulu', 'HI', '96818', 21.3425, -157.9398, 'Pacific/Honolulu'],
  ['Anchorage', 'AK', '99504', 61.1906, -149.6072, 'America/Anchorage'],
  ['Tamuning', 'GU', '96913', 13.4783, 144.8151, 'Pacific/Guam'],
  ['Guaynabo', 'PR', '00968', 18.4061, -66.1012, 'America/Puerto_Rico'],
  ['Lakewood', 'WA', '98499', 47.1663, -122.5061, 'America/Los_Angeles'],
  ['Tracy', 'CA', '95376', 37.7368, -121.434, 'America/Los_Angeles'],
  ['Oak Grove', 'KY', '42262', 36.69, -87.448, 'America/Chicago'],
  ['Radcliff', 'KY', '40160', 37.813, -85.932, 'America/New_York'],
  ['Watertown', 'NY', '13601', 43.969, -75.91, 'America/New_York'],
  ['North Pole', 'AK', '99705', 64.774, -147.268, 'America/Anchorage'],
  ['Fort Irwin', 'CA', '92310', 35.334, -116.763, 'America/Los_Angeles'],
  ['Highland Falls', 'NY', '10928', 41.349, -73.998, 'America/New_York'],
  ['Pago Pago', 'AS', '96799', -14.323, -170.752, 'Pacific/Pago_Pago'],
  ['National City', 'CA', '91950', 32.669, -117.093, 'America/Los_Angeles'],
  ['Pensacola', 'FL', '32507', 30.339, -87.378, 'America/Chicago'],
  ['Silverdale', 'WA', '98383', 47.663, -122.719, 'America/Los_Angeles'],
  ['Atlantic Beach', 'FL', '32233', 30.357, -81.417, 'America/New_York'],
  ['Newport', 'RI', '02840', 41.477, -71.32, 'America/New_York'],
  ['Waukegan', 'IL', '60085', 42.355, -87.861, 'America/Chicago'],
  ['Jacksonville', 'NC', '28540', 34.744, -77.499, 'America/New_York'],
  ['Dumfries', 'VA', '22026', 38.56, -77.296, 'America/New_York'],
  ['Yuma', 'AZ', '85364', 32.705, -114.656, 'America/Phoenix'],
  ['Litchfield Park', 'AZ', '85340', 33.516, -112.424, 'America/Phoenix'],
  ['Tucson', 'AZ', '85711', 32.215, -110.883, 'America/Phoenix'],
  ['Fairborn', 'OH', '45324', 39.821, -84, 'America/New_York'],
  ['Las Vegas', 'NV', '89115', 36.254, -115.043, 'America/Los_Angeles'],
  ['Fairfield', 'CA', '94533', 38.281, -122.006, 'America/Los_Angeles'],
  ['Niceville', 'FL', '32578', 30.508, -86.448, 'America/Chicago'],
  ['Minot', 'ND', '58703', 48.321, -101.305, 'America/Chicago'],
  ['Aurora', 'CO', '80013', 39.661, -104.766, 'America/Denver'],
  ['Lompoc', 'CA', '93436', 34.6, -120.377, 'America/Los_Angeles'],
  ['Satellite Beach', 'FL', '32937', 28.176, -80.605, 'America/New_York'],
  ['Kodiak', 'AK', '99619', 57.79, -152.407, 'America/Anchorage'],
  ['New London', 'CT', '06320', 41.349, -72.102, 'America/New_York'],
  ['Cape May', 'NJ', '08204', 38.972, -74.916, 'America/New_York'],
  ['Alameda', 'CA', '94501', 37.775, -122.278, 'America/Los_Angeles'],
  ['Elizabeth City', 'NC', '27909', 36.289, -76.269, 'America/New_York'],
  ['San Antonio', 'TX', '78209', 29.489, -98.456, 'America/Chicago'],
  ['Wrightstown', 'NJ', '08562', 40.062, -74.592, 'America/New_York'],
  ['Washington', 'DC', '20020', 38.86, -76.979, 'America/New_York'],
  ['Suitland', 'MD', '20746', 38.836, -76.918, 'America/New_York'],
  ['New Cumberland', 'PA', '17070', 40.2, -76.854, 'America/New_York'],
  ['Richmond', 'VA', '23234', 37.453, -77.467, 'America/New_York'],
  ['Columbus', 'OH', '43227', 39.943, -82.888, 'America/New_York'],
]

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
export const ordinaryStores: readonly Store[] = registered.map(registeredStore)
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
