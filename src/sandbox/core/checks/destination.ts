import { undeliverableDestination } from '../../../contract/index.js'
import { zipOf } from '../geo/places.js'
import { zipRefusals } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import type { OrderContext } from './order-context.js'

const kinds = {
  military: 'APO, FPO and DPO addresses are not served',
  po_box: 'a post office box cannot be delivered to',
  diplomatic_pouch: 'the diplomatic pouch is not served',
  general_delivery: 'general delivery is not served',
} as const

/** Destinations that no driver can go to, whatever the order. */
export function checkDestination({ order }: OrderContext): void {
  const kind = undeliverableDestination(order.dropoff.address)
  const isMagic = zipRefusals[zipOf(order.dropoff)] === 'UNSUPPORTED_DESTINATION'
  if (kind === undefined && !isMagic) return
  const message = kind === undefined ? 'this destination is not served' : kinds[kind]
  throw new Refusal('UNSUPPORTED_DESTINATION', `The address leads nowhere that is served: ${message}.`, {
    details: { reasonCode: 'unsupported_destination_type', ...(kind === undefined ? {} : { destinationType: kind }) },
  })
}
