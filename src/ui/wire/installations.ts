import type { Installation, Serviceability } from '../../contract/index.js'
import type { Touched } from '../../trade/policy-changes.js'
import type { FormField } from './deliveries.js'

export interface InstallationSummary {
  code: string
  name: string
  branch: string
  state: string
  /** `null` if the service does not say. */
  acceptingDeliveries: boolean | null
  accessLevel: string
}

/** A gate with its state now, in its own zone. */
export interface GateNow {
  name: string
  /** `null` if the service does not say. */
  commercialVehiclesPermitted: boolean | null
  hours: string
  timezone: string
  /** The time there, such as `Tue 14:05`; empty for an unknown zone. */
  localTime: string
  /** `null` if the hours are in no known format. */
  isOpen: boolean | null
  /** Such as `open now, closes in 2h`. */
  state: string
}

export interface InstallationDetail {
  installation: Installation
  gates: GateNow[]
  /** The fields of a serviceability check. */
  check: FormField[]
  /** The fields that a sandbox lets change; empty otherwise. */
  policy: FormField[]
}

/** An order that a change touches. Times are RFC 3339. */
export interface TouchedOrder extends Touched {
  deliveryId: string
  reference: string
  status: string
  window: { start: string | null; end: string | null } | null
  eta: string | null
  /** The fee for cancelling now; `null` if only the service knows it. */
  feeCents: number | null
  currency: string | null
}

/** A change of an installation's policy, with the orders under way that it touches by the policy as it is now. */
export interface PolicyChange {
  eventId: string
  at: string
  code: string
  name: string
  /** What was changed, with what it is now where that is a word: `fpconLevel bravo`. */
  changed: string[]
  /** Number of orders that are under way or scheduled to it. */
  underWay: number
  /** Those that cannot be delivered as they are first, then by window or ETA. */
  touched: TouchedOrder[]
}

/** The answer to a serviceability check. */
export interface ServiceabilityResult {
  answer: Serviceability
}
