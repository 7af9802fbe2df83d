import { isE164 } from '../../../contract/index.js'
import { refusedPhone } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import type { OrderContext } from './order-context.js'

export function checkPhone({ order }: OrderContext): void {
  const phone = order.dropoff.contactPhone
  if (phone === undefined || (isE164(phone) && phone !== refusedPhone)) return
  const message = 'must be an E.164 number such as +12025550142'
  throw new Refusal('INVALID_PHONE_NUMBER', `dropoff.contactPhone ${message}.`, {
    fieldErrors: [{ field: 'dropoff.contactPhone', code: 'INVALID_FORMAT', message }],
  })
}
