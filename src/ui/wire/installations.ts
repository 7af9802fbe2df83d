import type { Installation, Serviceability } from '../../contract/index.js'
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

/** The answer to a serviceability check, with the request that was sent. */
export interface ServiceabilityResult {
  answer: Serviceability
}
