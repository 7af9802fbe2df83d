import type { Position } from '../shared/position.js'

/** A location reported by a driver. */
export interface TrailPoint extends Position {
  /** RFC 3339. */
  at: string
}

/** The known places of a delivery, and its driver's locations. */
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
