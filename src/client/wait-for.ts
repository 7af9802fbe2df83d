import {
  ConnectionError,
  type Delivery,
  type DeliveryStatus,
  deliveryStatuses,
  isKnownDeliveryStatus,
  OutcomeError,
  statusTransitions,
  terminalStatuses,
  UsageError,
} from '../contract/index.js'
import { suggestions } from '../shared/suggestions.js'
import { assertLimits } from './assert-limits.js'
import type { Clock } from './clock.js'
import type { CallOptions } from './options.js'
import { formatSpan, startDeadline } from './retry/deadline.js'

/** The time to wait for a status, and the interval of polling. */
export interface WaitOptions extends Omit<CallOptions, 'drain' | 'budget' | 'timeoutMs'> {
  /** The whole wait in milliseconds; 0 for no limit. Default 3,600,000: one hour. */
  timeoutMs?: number | undefined
  /** Milliseconds between the first looks; they become rarer, up to ten times this. Default 1,000. */
  pollMs?: number | undefined
}

/** Looks become rarer by this factor. */
const slower = 1.5

/**
 * Reads a delivery until it has reached a status, now or on its way.
 *
 * @throws OutcomeError if it cannot reach the status any more; ConnectionError `timeout` if it has not in time
 */
export async function waitForStatus(
  read: (options: CallOptions) => Promise<Delivery>,
  expected: DeliveryStatus,
  { timeoutMs = 3_600_000, pollMs = 1_000, ...options }: WaitOptions,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Delivery> {
  const meant = isKnownDeliveryStatus(expected) ? [] : suggestions(expected, deliveryStatuses, 1)
  if (meant.length > 0)
    throw new UsageError(`"${expected}" is not a delivery status`, { hint: `Did you mean "${meant.join()}"?` })
  assertLimits({ timeoutMs })
  assertLimits({ pollMs }, 1)
  const deadline = startDeadline(clock, timeoutMs)
  const stop = options.signal === undefined ? signal : AbortSignal.any([options.signal, signal])
  for (let delayMs = pollMs; ; delayMs = Math.min(delayMs * slower, pollMs * 10)) {
    const delivery = await read(options)
    if (hasReached(delivery, expected)) return delivery
    if (!canReach(delivery.status, expected)) throw elsewhere(delivery, expected)
    const remainingMs = deadline.remainingMs()
    if (remainingMs <= 0)
      throw new ConnectionError(
        `${delivery.deliveryId} is ${delivery.status} after ${formatSpan(deadline.timeoutMs)}, expected ${expected}`,
        { reason: 'timeout', hint: 'Allow more time with timeoutMs.' },
      )
    await clock.sleep(Math.min(delayMs, remainingMs), stop)
  }
}

function hasReached({ status, statusHistory }: Delivery, expected: DeliveryStatus): boolean {
  return status === expected || (statusHistory?.some((entry) => entry.status === expected) ?? false)
}

/** Whether transitions of the contract lead from one status to another. Of a status that is new, nothing is known. */
function canReach(from: string, expected: DeliveryStatus): boolean {
  if (!isKnownDeliveryStatus(from)) return true
  // A new status can follow any that is not final.
  if (!isKnownDeliveryStatus(expected)) return !terminalStatuses.has(from)
  const reached = new Set([from])
  for (const status of reached) for (const next of statusTransitions[status]) reached.add(next)
  return reached.has(expected)
}

function elsewhere({ deliveryId, status, statusReasonCode, statusReason }: Delivery, expected: string): OutcomeError {
  const why = statusReasonCode ?? statusReason
  return new OutcomeError(`${deliveryId} is ${status}${why == null ? '' : ` (${why})`} and cannot become ${expected}`, {
    deliveryId,
    status,
    expected,
  })
}
