import type { Delivery } from '../contract/index.js'
import { isRecord, recordAt, textAt, timeAt } from '../shared/json.js'
import { type OrderWindow, requestedWindow } from './promise.js'

/** An order that goes to an installation, as far as it is known. Times are milliseconds since the epoch. */
export interface AccessOrder {
  deliveryId: string
  status: string
  createdMs?: number | undefined
  installation: string
  gate?: string | undefined
  deliveryPoint?: string | undefined
  contains: readonly string[]
  checks: readonly ProofCheck[]
  window?: OrderWindow | undefined
  /** The newest estimated arrival at the dropoff. */
  etaMs?: number | undefined
}

/** A check at the dropoff. */
interface ProofCheck {
  mechanism: string
  level?: string | undefined
  substitute?: string | undefined
}

/** Known facts of a delivery's order beside its snapshot. */
interface KnownOrder {
  package?: unknown
  verification?: unknown
  timeWindows?: unknown
  window?: OrderWindow | undefined
  etaMs?: number | undefined
}

/** The facts by which it is judged whether a change touches an order. */
export function accessOrderOf(delivery: Delivery, installation: string, known: KnownOrder = {}): AccessOrder {
  const { deliveryId, status, dropoff, createdAt } = delivery
  const window = requestedWindow(known.timeWindows)
  const contains = isRecord(known.package) ? known.package.contains : undefined
  return {
    deliveryId,
    status,
    createdMs: timeAt({ createdAt }, 'createdAt'),
    installation,
    gate: dropoff?.installation?.gate ?? undefined,
    deliveryPoint: dropoff?.unit?.deliveryPoint ?? undefined,
    contains: Array.isArray(contains) ? contains.filter((cargo) => typeof cargo === 'string') : [],
    checks: checksOf(delivery, known.verification),
    window: window === undefined ? known.window : { startMs: timeAt(window, 'start'), endMs: timeAt(window, 'end') },
    etaMs: known.etaMs,
  }
}

/** The checks that were asked for, or those that the service enforces and leaves out if the request is not known. */
function checksOf({ resolvedVerification: resolved }: Delivery, requested: unknown): ProofCheck[] {
  const asked = isRecord(requested) ? recordAt(requested, 'dropoff') : recordAt(resolved, 'dropoff')
  const checks = Object.entries(asked).map(([mechanism, check]) => ({
    mechanism,
    level: textAt(check, 'level'),
    substitute: textAt(check, 'substituteWhenProhibited'),
  }))
  if (isRecord(requested)) return checks
  const suppressed = (resolved?.suppressed ?? []).flatMap((entry) => {
    const mechanism = typeof entry === 'string' ? entry : textAt(entry, 'mechanism')
    return mechanism === undefined ? [] : [{ mechanism, substitute: textAt(entry, 'substitutedBy') }]
  })
  return [...checks, ...suppressed]
}
