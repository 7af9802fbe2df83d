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
import { spacedSpan } from '../shared/durations.js'
import { assertLimits, suggestions } from '../shared/word-match.js'
import type { Clock } from './clock.js'
import type { CallOptions } from './options.js'
import { startDeadline } from './retry/deadline.js'
import { isOutage } from './retry/retry.js'

/** The time to wait for a status, and the interval of polling. */
export interface WaitOptions extends Omit<CallOptions, 'drain' | 'budget' | 'timeoutMs'> {
  /** The whole wait in milliseconds; 0 for no limit. Default 3,600,000: one hour. */
  timeoutMs?: number | undefined
  /** Milliseconds between the first looks; they become rarer, up to ten times this. Default 1,000. */
  pollMs?: number | undefined
}

/** A look during an outage takes no longer than this before the next one. */
const readMs = 60_000

/** Looks become rarer by this factor. */
const slower = 1.5

/**
 * Reads a delivery until it has reached a status, now or on its way. Once the service has answered this client, an outage is
 * waited out within the time of the wait.
 *
 * @throws OutcomeError if it cannot reach the status any more; ConnectionError `timeout` if it has not in time
 */
export async function waitForStatus(
  read: (options: CallOptions) => Promise<Delivery>,
  expected: DeliveryStatus,
  { timeoutMs = 3_600_000, pollMs = 1_000, ...options }: WaitOptions,
  { clock, signal, isKnown }: { clock: Clock; signal: AbortSignal; isKnown(): boolean },
): Promise<Delivery> {
  const meant = isKnownDeliveryStatus(expected) ? [] : suggestions(expected, deliveryStatuses, 1)
  if (meant.length > 0)
    throw new UsageError(`"${expected}" is not a delivery status`, { hint: `Did you mean "${meant.join()}"?` })
  assertLimits({ timeoutMs })
  assertLimits({ pollMs }, 1)
  const deadline = startDeadline(clock, timeoutMs)
  const stop = options.signal === undefined ? signal : AbortSignal.any([options.signal, signal])
  let last: Delivery | undefined
  /** The first failure of an outage that lasts. */
  let failure: unknown
  for (let delayMs = pollMs; ; delayMs = Math.min(delayMs * slower, pollMs * 10)) {
    const leftMs = deadline.remainingMs()
    const limits = Number.isFinite(leftMs) ? { timeoutMs: Math.max(1, Math.min(leftMs, readMs)) } : {}
    const delivery = await read({ ...options, ...limits }).catch((error: unknown) => {
      if (stop.aborted || !isKnown() || !isOutage(error)) throw error
      failure ??= error
      return undefined
    })
    if (delivery !== undefined) {
      last = delivery
      failure = undefined
      if (hasReached(delivery, expected)) return delivery
      if (!canReach(delivery.status, expected)) throw elsewhere(delivery, expected)
    }
    const remainingMs = deadline.remainingMs()
    if (remainingMs <= 0) throw tooLate(last, expected, deadline.timeoutMs, failure)
    await clock.sleep(Math.min(delayMs, remainingMs), stop)
  }
}

function tooLate(last: Delivery | undefined, expected: string, timeoutMs: number, failure: unknown): ConnectionError {
  const seen = last === undefined ? 'The delivery could not be read' : `${last.deliveryId} is ${last.status}`
  const away = failure instanceof Error ? ` The service could not be asked at the end: ${failure.message}.` : ''
  return new ConnectionError(`${seen} after ${spacedSpan(timeoutMs)}, expected ${expected}`, {
    reason: 'timeout',
    hint: `Allow more time with timeoutMs.${away}`,
    cause: failure,
  })
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
