import { z } from 'zod'
import type { CallOptions, Client } from '../../client/index.js'
import { bodyHashOf, cancelKeyOf } from '../../client/index.js'
import { ApiError, CancelRequest, type Delivery, type InputOf, readRequest } from '../../contract/index.js'
import { isRowFailure, isWorthSettling } from '../outcome.js'
import { failedWith, type RowAction, type RowOutcome } from './row-action.js'
import { splitId } from './update-action.js'

type Cancel = InputOf<'cancelDelivery'>

/** A row of a bulk cancel: the delivery, and what the request may say. */
export const CancelRow = z.object({ deliveryId: z.string(), ...CancelRequest.shape })

/** Options for all cancellations of a run. */
export interface CancelOptions {
  /** Part of each key, if given. */
  scope?: string | undefined
  /** The default reason for rows without one. */
  request?: CancelRequest | undefined
  /** Called with each delivery that is cancelled now; its price holds the fee. */
  onCancelled?: ((delivery: Delivery) => void) | undefined
}

/** Cancels the delivery of each row: its `deliveryId`, with `reason` and `reasonNotes` beside it or for all. */
export function cancelAction(client: Client, options: CancelOptions): RowAction<Cancel> {
  return {
    operation: 'cancelDelivery',
    serviceNowMs: () => client.serviceNowMs(),
    prepare(value) {
      const { deliveryId, rest } = splitId(readRequest(CancelRow, value))
      const body: CancelRequest = { ...options.request, ...rest }
      return {
        clientOrderReference: null,
        idempotencyKey: cancelKeyOf({ scope: options.scope, deliveryId, body }),
        bodyHash: bodyHashOf({ deliveryId, body }),
        input: { deliveryId, body },
      }
    },
    async execute({ input, idempotencyKey }, history, callOptions) {
      try {
        const request = { ...input, ...(idempotencyKey === null ? {} : { idempotencyKey }) }
        const answer = await client.call('cancelDelivery', request, callOptions)
        const { value } = answer
        const replayed = answer.replayed && !(answer.wasLost && !history.wasSent)
        if (!replayed) options.onCancelled?.(value)
        return { outcome: replayed ? 'replayed' : 'cancelled', deliveryId: value.deliveryId, status: value.status }
      } catch (failure) {
        if (failure instanceof ApiError && failure.code === 'INVALID_STATE_TRANSITION')
          return cancelledBefore(client, input.deliveryId, failure, callOptions)
        if (isRowFailure(failure)) return { ...failedWith(failure), deliveryId: input.deliveryId }
        if (!isWorthSettling(failure, callOptions)) throw failure
        return { ...failedWith(failure, 'unknown'), deliveryId: input.deliveryId }
      }
    },
  }
}

/** A delivery at its end: cancelled already, or ended otherwise. */
async function cancelledBefore(
  client: Client,
  deliveryId: string,
  refusal: ApiError,
  options: CallOptions,
): Promise<RowOutcome> {
  const { status } = await client.getDelivery({ deliveryId }, options)
  return status === 'cancelled'
    ? { outcome: 'existing', deliveryId, status }
    : { ...failedWith(refusal, 'conflict'), deliveryId, status }
}
