import type { Client } from '../client/index.js'
import { ApiError, type Delivery, type InputOf } from '../contract/index.js'
import { lookUp } from './look-up.js'
import { differencesOf } from './same-order.js'

/** What became of one order. */
export interface Created {
  delivery: Delivery
  outcome: 'created' | 'replayed' | 'existing'
}

/**
 * Creates a delivery once: where the reference is taken, the delivery that has it is compared with the order. The same
 * order is `existing` and no error; another one keeps the service's refusal, which then names what differs.
 */
export async function createOnce(client: Client, input: InputOf<'createDelivery'>): Promise<Created> {
  try {
    const { value: delivery, replayed } = await client.call('createDelivery', input)
    return { delivery, outcome: replayed ? 'replayed' : 'created' }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'DUPLICATE_ORDER') throw error
    const existing = await lookUp(client, input.body.clientOrderReference)
    const differences = existing === undefined ? undefined : differencesOf(input.body, existing)
    if (existing !== undefined && differences?.length === 0) return { delivery: existing, outcome: 'existing' }
    throw conflict(error, existing, differences ?? [])
  }
}

function conflict(error: ApiError, existing: Delivery | undefined, differences: readonly string[]): ApiError {
  if (existing === undefined) return error
  return new ApiError(error.message, {
    status: error.status,
    code: error.code,
    requestId: error.requestId,
    fieldErrors: error.fieldErrors,
    details: error.details,
    hint: `${existing.deliveryId} has this reference and differs in ${differences.join(', ')}. Next: dlv deliveries get ${existing.deliveryId}`,
  })
}
