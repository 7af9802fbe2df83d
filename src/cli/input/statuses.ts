import { deliveryStatuses, type KnownDeliveryStatus } from '../../contract/index.js'
import { unknownWordError } from './known-word.js'

/** Parses a delivery status. Throws `UsageError` for an unknown one, which would match nothing and never be reached. */
export function parseStatus(name: string, flag: string): KnownDeliveryStatus {
  const status = deliveryStatuses.find((known) => known === name)
  if (status !== undefined) return status
  throw unknownWordError(name, deliveryStatuses, { flag, noun: 'a status' })
}
