import type { DeliveryCreate, KnownDeliveryStatus } from '../../contract/index.js'
import { seededRandom } from '../../shared/math.js'
import { usualStores } from '../core/geo/stores.js'
import type { ScriptedOutcome } from '../core/magic-tables.js'
import { diceOf, reachOf, sampleOrder } from './order-samples.js'
import { planCount, shuffled } from './plan.js'

/** The outcomes that traffic can be planned with, by a status that its orders reach. */
const outcomes = {
  delivered: 'delivered',
  failed: 'recipient_unavailable',
  returned: 'recipient_refused',
  cancelled: 'cancelled_by_recipient',
  expired: 'no_carrier_available',
  reassigning: 'reassigning',
  dispatch_failed: 'no_carrier_available',
  return_in_progress: 'recipient_refused',
} as const satisfies Partial<Record<KnownDeliveryStatus, ScriptedOutcome>>

type PlannableStatus = keyof typeof outcomes
export const plannableStatuses = Object.keys(outcomes) as PlannableStatus[]

interface TrafficRules {
  startMs: number
  endMs: number
  /** The exact number of orders. */
  count: number
  /** The share of each status, from 0 to 1; the rest is delivered. */
  outcomes: Partial<Record<PlannableStatus, number>>
  /** The pace of deliveries. */
  pace: 'real' | 'robo' | 'fast'
  /** The same seed gives the same orders at the same moments. */
  seed: number
}

interface PlannedTraffic {
  atMs: number
  /** The status that it should reach. */
  outcome: PlannableStatus
  order: DeliveryCreate
}

/**
 * Orders that are still to be made, in the order of their moments: stores, addresses, packages and times of day in the
 * proportions of ordinary days, with outcomes for the autopilot. None goes to an installation, whose gates would have
 * outcomes of their own.
 */
export function planTraffic(rules: TrafficRules): PlannedTraffic[] {
  const dice = diceOf(seededRandom(rules.seed))
  const reaches = new Map(usualStores.map((store) => [store, reachOf(store, [])]))
  const planned = shuffled(outcomesOf(rules), dice)
  return planCount(rules, usualStores, dice).flatMap(({ atMs, store }, index) => {
    const reach = reaches.get(store)
    const outcome = planned[index]
    if (reach === undefined || outcome === undefined) return []
    const reference = `PLAY-${rules.seed.toString(36).toUpperCase()}-${String(index + 1).padStart(5, '0')}`
    const { handling: _, ...order } = sampleOrder(reference, store, reach, dice)
    const isReturned = outcome === 'returned' || outcome === 'return_in_progress'
    const handling = isReturned ? { handling: { undeliverableAction: 'return_to_pickup' as const } } : {}
    const metadata = { sandbox_pace: rules.pace, sandbox_outcome: outcomes[outcome] }
    return [{ atMs, outcome, order: { ...order, ...handling, metadata } }]
  })
}

function outcomesOf({ count, outcomes: shares }: TrafficRules): PlannableStatus[] {
  const special = plannableStatuses
    .filter((status) => status !== 'delivered')
    .flatMap((status) => Array<PlannableStatus>(Math.round((shares[status] ?? 0) * count)).fill(status))
    .slice(0, count)
  return [...special, ...Array<PlannableStatus>(count - special.length).fill('delivered')]
}
