import { deliveryStatuses, reasonCodesFor, statusReasonCodes } from '../../contract/index.js'
import type { Notices } from '../output/notices.js'
import { newWord, unknownWordError } from './known-word.js'

/**
 * Parses a delivery status. An unknown one can be new: it is taken with a notice. Throws `UsageError` for a misspelt one,
 * which would match nothing and never be reached.
 */
export function parseStatus(name: string, flag: string, notices: Pick<Notices, 'notice'>): string {
  const isKnown = (deliveryStatuses as readonly string[]).includes(name)
  if (!isKnown) newWord(name, deliveryStatuses, { flag, noun: 'a status' }, notices)
  return name
}

/**
 * Parses the reason for a status. Throws `UsageError` for an unknown one; whether a known one goes with the status is
 * the service's decision.
 */
export function parseReason(name: string, flag: string, status: string): string {
  if (statusReasonCodes.some((known) => known === name)) return name
  const fitting = reasonCodesFor(status)
  throw unknownWordError(name, fitting.length === 0 ? statusReasonCodes : fitting, { flag, noun: 'a reason code' })
}
