import { terminalStatuses } from '../../contract/index.js'
import type { Handler } from '../model.js'
import { replan } from './autopilot.js'
import { DeliveryDraft, findDelivery, outcomeOf } from './delivery-draft.js'
import { deliveryView } from './delivery-view.js'
import { enterStatus } from './enter-status.js'
import { Refusal } from './refusal.js'
import { targetsOf } from './simulate-delivery.js'

/** Cancels in the merchant's name, whatever reason is recorded. */
export const cancelDelivery: Handler<'cancelDelivery'> = {
  admit(world, { deliveryId }) {
    findDelivery(world, deliveryId)
  },
  decide(world, { deliveryId, body }) {
    const draft = new DeliveryDraft(world, findDelivery(world, deliveryId))
    const { status } = draft.row
    if (terminalStatuses.has(status))
      throw new Refusal('INVALID_STATE_TRANSITION', `A delivery that is ${status} cannot be cancelled.`, {
        details: { from: status, to: 'cancelled', allowed: targetsOf(world, draft.row) },
      })
    const { reason, reasonNotes } = body ?? {}
    draft.row.cancellation = {
      ...(reason === undefined ? {} : { reason }),
      ...(reasonNotes === undefined ? {} : { reasonNotes }),
    }
    enterStatus(draft, 'cancelled', { reason: 'cancelled_by_merchant' })
    replan(draft)
    return { status: 200, body: deliveryView(world, draft.row, { history: false }), ...outcomeOf(draft) }
  },
}
