import { type Delivery, milestones, statusReasonGroups } from '../../contract/index.js'

/** A status that a delivery can be simulated to, with the reasons that may go with it. */
export interface Move {
  status: string
  reasons: string[]
}

const chain: readonly string[] = milestones
const undispatched = ['scheduled', 'accepted', 'dispatch_failed', 'reassigning']

const { recipient, address, installationAccess, verification, cancellation } = statusReasonGroups
const failures: string[] = [
  ...recipient,
  ...address,
  ...installationAccess,
  ...verification,
  'package_damaged',
  'weather_or_road_closure',
]
const reasonsOf: Readonly<Record<string, readonly string[]>> = {
  failed: [...failures, 'package_not_ready'],
  return_in_progress: failures,
  dispatch_failed: [
    'no_carrier_available',
    'outside_service_area',
    'quote_expired',
    'gate_closed',
    'fpcon_elevated',
    'weather_or_road_closure',
  ],
  expired: ['no_carrier_available', 'quote_expired', 'gate_closed', 'weather_or_road_closure'],
  cancelled: cancellation,
}

/**
 * What can follow, by the state machine of the contract. The service decides: an account without returns refuses the
 * return, and so does a delivery that failed before its pickup.
 */
export function possibleMoves({ status, statusHistory }: Pick<Delivery, 'status' | 'statusHistory'>): Move[] {
  const reached = new Set((statusHistory ?? []).map((entry) => entry.status))
  return movesFrom(status, reached.has('pickup_complete')).map((next) => ({
    status: next,
    reasons: [...(reasonsOf[next] ?? [])],
  }))
}

function movesFrom(status: string, wasPickedUp: boolean): string[] {
  if (status === 'failed') return wasPickedUp ? ['return_in_progress', 'returned'] : []
  if (status === 'return_in_progress') return ['returned', 'cancelled']
  const isWaiting = undispatched.includes(status)
  const at = isWaiting && status !== 'scheduled' ? chain.indexOf('accepted') : chain.indexOf(status)
  if (at === -1 || status === 'delivered') return []
  const ahead = chain.slice(at + 1)
  const isBeforePickup = isWaiting || at < chain.indexOf('pickup_complete')
  return [
    ...ahead,
    ...(isBeforePickup && status !== 'reassigning' ? ['reassigning'] : []),
    ...(isWaiting && status !== 'dispatch_failed' ? ['dispatch_failed'] : []),
    'failed',
    'return_in_progress',
    'returned',
    'cancelled',
    ...(isWaiting ? ['expired'] : []),
  ]
}
