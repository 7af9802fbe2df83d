import type { FaultRule } from '../../shared/fault-rule.js'
import type { Clock } from './session.js'
import type { DueWebhook } from './webhooks.js'

export interface DueDelivery {
  deliveryId: string
  clientOrderReference: string
  status: string
  dueAt: string
}

/** A reading of the contract that can be chosen. */
export interface SwitchState {
  name: string
  value: string | number
  defaultValue: string | number
  /** Empty for a number. */
  choices: readonly string[]
  summary: string
}

export interface MagicValueState {
  channel: string
  value: string
  effect: string
}

export interface SnapshotState {
  name: string
  savedAt: string
  bytes: number
}

/** Everything that a sandbox can be told to do, as it is now. */
export interface TimeAndFaults {
  clock: Clock
  deliveries: DueDelivery[]
  webhooks: DueWebhook[]
  outage: boolean
  /** `null` for no limit. */
  capacity: number | null
  faults: { seed?: number; rules: FaultRule[] }
  switches: SwitchState[]
  snapshots: SnapshotState[]
  magic: MagicValueState[]
  operations: string[]
}
