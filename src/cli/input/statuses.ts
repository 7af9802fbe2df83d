import { deliveryStatuses, reasonCodesFor, statusReasonCodes, UsageError } from '../../contract/index.js'
import type { Notices } from '../output/notices.js'
import { newWord } from './known-word.js'

/**
 * Parses a delivery status. An unknown one can be new: it is taken with a notice. Throws `UsageError` for a misspelt one,
 * which would match nothing and never be reached.
 */
export function parseStatus(name: string, flag: string, notices: Pick<Notices, 'notice'>): string {
  if (/^(?:late|stuck|problems?)$/i.test(name))
    throw new UsageError(`${flag}: "${name}" is not a status.`, {
      hint: 'dlv deliveries list --problem shows what is late, stuck or failed.',
    })
  const isKnown = (deliveryStatuses as readonly string[]).includes(name)
  if (!isKnown) newWord(name, deliveryStatuses, { flag, noun: 'a status' }, notices)
  return name
}

/**
 * Parses the reason for a status. An unknown one can be new: it is taken with a notice, like a status; whether it goes
 * with the status is the service's decision. Throws `UsageError` for a misspelt one.
 */
export function parseReason(name: string, flag: string, status: string, notices: Pick<Notices, 'notice'>): string {
  if (statusReasonCodes.some((known) => known === name)) return name
  const fitting = reasonCodesFor(status)
  newWord(name, fitting.length === 0 ? statusReasonCodes : fitting, { flag, noun: 'a reason code' }, notices)
  return name
}
