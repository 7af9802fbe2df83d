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

/** Each lies near an installation, so that prices and times look as they would. */
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
]

/** References that play a part of the contract on purpose; all of them stand where the first store does. */
export const magicStoreReferences = [
  'STORE-SLOW',
  'STORE-429',
  'STORE-500',
  'STORE-503',
  'STORE-REQ-UNSUPPORTED',
  'STORE-NOPROVIDER',
  'STORE-NOQUOTE-COVERAGE',
  'STORE-NOQUOTE-CAPACITY',
  'STORE-NOQUOTE-HOURS',
  'STORE-NOQUOTE-REQ',
  'STORE-NOQUOTE-LEGACY',
  'STORE-NOQUOTE-FUTURE',
] as const

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
