import { deliveryStatuses, type KnownDeliveryStatus, reasonCodesFor, statusReasonCodes } from '../../contract/index.js'
import { unknownWordError } from './known-word.js'

/** Parses a delivery status. Throws `UsageError` for an unknown one, which would match nothing and never be reached. */
export function parseStatus(name: string, flag: string): KnownDeliveryStatus {
  const status = deliveryStatuses.find((known) => known === name)
  if (status !== undefined) return status
  throw unknownWordError(name, deliveryStatuses, { flag, noun: 'a status' })
}

/**
 * Parses the reason for a status. Throws `UsageError` for an unknown one; whether a known one goes with the status is
 * the service's decision.
 */
export function parseReason(name: string, flag: string, status: KnownDeliveryStatus): string {
  if (statusReasonCodes.some((known) => known === name)) return name
  const fitting = reasonCodesFor(status)
  throw unknownWordError(name, fitting.length === 0 ? statusReasonCodes : fitting, { flag, noun: 'a reason code' })
}
