import type { VerificationMechanism } from '../../contract/index.js'

/**
 * A level of service that a quote can be for. The contract never exposes who drives, so these are levels and not
 * companies.
 */
export interface Carrier {
  carrierId: string
  carrierName: string
  priceFactor: number
  /** The checks at the door that it carries out. */
  mechanisms: readonly VerificationMechanism[]
}

const all = ['photo', 'signature', 'identity', 'pinCode', 'barcode'] as const

export const economy: Carrier = {
  carrierId: 'car_eco',
  carrierName: 'Economy Network',
  priceFactor: 0.93,
  mechanisms: ['photo', 'signature', 'pinCode'],
}
export const standard: Carrier = {
  carrierId: 'car_std',
  carrierName: 'Standard Network',
  priceFactor: 1,
  mechanisms: all,
}
export const priority: Carrier = {
  carrierId: 'car_pri',
  carrierName: 'Priority Network',
  priceFactor: 1.18,
  mechanisms: all,
}
/** The account's own drivers, priced as standard. */
export const ownFleet: Carrier = { carrierId: 'car_own', carrierName: 'Own Fleet', priceFactor: 1, mechanisms: all }

export const carriers: readonly Carrier[] = [economy, standard, priority, ownFleet]

export function carrierById(carrierId: string): Carrier | undefined {
  return carriers.find((carrier) => carrier.carrierId === carrierId)
}
