import type { FaultRule } from '../../contract/internal.js'
import type { Clock } from './session.js'
import type { DueWebhook } from './webhooks.js'

interface DueDelivery {
  deliveryId: string
  clientOrderReference: string
  status: string
  dueAt: string
}

/** The readings of the contract that can be chosen, each by its name. */
export interface Switches {
  switches: Record<string, string | number>
  defaults: Record<string, string | number>
  /** A number has none. */
  choices: Record<string, readonly string[]>
  summaries: Record<string, string>
}

export interface MagicValue {
  channel: string
  value: string
  effect: string
}

/** The conditions of a sandbox as its control API gives them. */
export interface TimeAndFaults {
  clock: Clock
  schedule: { deliveries: DueDelivery[]; webhooks: DueWebhook[] }
  outage: { on: boolean }
  /** `null` for no limit. */
  capacity: { available: number | null }
  faults: { seed?: number; rules: FaultRule[] }
  switches: Switches
  snapshots: { snapshots: { name: string; savedAt: string; bytes: number }[] }
  magic: MagicValue[]
  operations: readonly string[]
}
