import type { Decision, DeliveryRow, World } from '../model.js'
import type { DeliveryDraft } from './delivery-draft.js'
import { refuseMagicId } from './forced-refusals.js'
import { Refusal } from './refusal.js'

/** The account's delivery with this id; throws `DELIVERY_NOT_FOUND`, or what a magic id asks for. */
export function findDelivery(world: World, deliveryId: string): DeliveryRow {
  refuseMagicId(deliveryId, 'delivery')
  const row = world.delivery(deliveryId)
  if (row === undefined || row.accountId !== world.account.accountId)
    throw new Refusal('DELIVERY_NOT_FOUND', `No delivery "${deliveryId}" exists.`, { details: { deliveryId } })
  return row
}

/** The result of a draft: the row, its events, and the drivers that it no longer uses. */
export function outcomeOf(draft: DeliveryDraft): Pick<Decision, 'deliveries' | 'events' | 'capacity'> {
  const { row, events, capacity } = draft
  return {
    deliveries: [row],
    events,
    ...(capacity === undefined || capacity === draft.world.capacity ? {} : { capacity }),
  }
}
