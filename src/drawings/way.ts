import type { Position } from '../shared/position.js'

/** Where a driver said to be. */
export interface TrailPoint extends Position {
  /** RFC 3339. */
  at: string
}

/** The places of a delivery, as far as they are known, and what its driver has told. */
export interface DeliveryWay {
  store?: (Position & { name: string }) | undefined
  /** No source says where a gate is: it is drawn on the way, a little before the dropoff. */
  gate?: { name: string } | undefined
  /** The centre of the dropoff's ZIP code. */
  dropoff?: (Position & { postalCode: string }) | undefined
  /** Oldest first. */
  trail: readonly TrailPoint[]
  /** The delivery's status. */
  status: string
}

/** Statuses in which no driver is on the way any more. */
export const endedStatuses: ReadonlySet<string> = new Set(['delivered', 'failed', 'returned', 'cancelled', 'expired'])
