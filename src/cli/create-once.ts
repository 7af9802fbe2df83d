import { type Client, isSameOrder } from '../client/index.js'
import { ApiError, type Delivery, type InputOf } from '../contract/index.js'
import { lookUp } from './look-up.js'

/** What became of one order. */
export interface Created {
  delivery: Delivery
  outcome: 'created' | 'replayed' | 'existing'
}

/**
 * Creates a delivery once: where the reference is taken, the delivery that has it is compared with the order. The same
 * order is `existing` and no error; for another one the service's refusal stands, and says which delivery is meant.
 */
export async function createOnce(client: Client, input: InputOf<'createDelivery'>): Promise<Created> {
  try {
    const { value: delivery, replayed } = await client.call('createDelivery', input)
    return { delivery, outcome: replayed ? 'replayed' : 'created' }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'DUPLICATE_ORDER') throw error
    const existing = await lookUp(client, input.body.clientOrderReference)
    if (existing === undefined) throw error
    if (isSameOrder(input.body, existing)) return { delivery: existing, outcome: 'existing' }
    throw conflict(error, existing)
  }
}

function conflict(error: ApiError, { deliveryId }: Delivery): ApiError {
  const { status, code, requestId, fieldErrors, details, message } = error
  const hint = `${deliveryId} has this reference and is another order. Next: dlv deliveries get ${deliveryId}`
  return new ApiError(message, { status, code, requestId, fieldErrors, details, hint })
}
