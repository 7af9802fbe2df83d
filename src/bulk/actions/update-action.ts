import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Client } from '../../client/index.js'
import { bodyHashOf } from '../../client/index.js'
import { compareUpdate, encodeSegment } from '../../client/internal.js'
import {
  ApiError,
  type Delivery,
  DeliveryCreate,
  type DeliveryUpdate,
  patchOf,
  readRequest,
  UsageError,
  withoutMarks,
} from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import { withoutUnchanged } from '../../trade/updates.js'
import { isRowFailure, isWorthSettling } from '../outcome.js'
import { failedWith, type RowAction } from './row-action.js'

/** A row of a bulk update: the delivery, and the fields to change beside it. */
export const UpdateRow = patchOf(z.object({ deliveryId: z.string(), ...DeliveryCreate.shape }))

interface Update {
  /** The delivery to update. */
  deliveryId: string
  /** The fields to change. */
  body: DeliveryUpdate
}

/**
 * Updates a delivery from each row: its `deliveryId`, and the fields to change beside it.
 *
 * @param onUpdated is told each delivery that was changed, and what was asked for
 */
export function updateAction(
  client: Client,
  onUpdated: (delivery: Delivery, body: DeliveryUpdate) => void = () => undefined,
): RowAction<Update> {
  const updated = (delivery: Delivery, body: DeliveryUpdate) => {
    onUpdated(delivery, body)
    return { outcome: 'updated', deliveryId: delivery.deliveryId, status: delivery.status } as const
  }
  return {
    operation: 'updateDelivery',
    serviceNowMs: () => client.serviceNowMs(),
    prepare(value) {
      const { deliveryId, rest } = splitId(withoutMarks(readRequest(UpdateRow, value)))
      const body = rest as Update['body']
      if (Object.keys(rest).length === 0)
        throw new UsageError(
          isRecord(value) && value.clientOrderReference != null
            ? 'clientOrderReference: cannot be updated'
            : 'The row changes nothing',
        )
      return {
        clientOrderReference: null,
        idempotencyKey: null,
        bodyHash: bodyHashOf({ deliveryId, body }),
        input: { deliveryId, body },
      }
    },
    async execute({ input }, history, options) {
      try {
        if (history.wasSent) {
          const delivery = await client.getDelivery({ deliveryId: input.deliveryId }, options)
          if (compareUpdate(input.body, delivery) === 'applied') return updated(delivery, input.body)
        }
        return await client.updateDelivery(input, options).then(
          (delivery) => updated(delivery, input.body),
          async (failure: unknown) => {
            if (!(failure instanceof ApiError) || failure.code !== 'INVALID_STATE_TRANSITION') throw failure
            const { deliveryId } = input
            const delivery = await client.getDelivery({ deliveryId }, options)
            const body = withoutUnchanged(input.body, delivery)
            if (body === undefined) return updated(delivery, {})
            if (isDeepStrictEqual(body, input.body)) throw failure
            return updated(await client.updateDelivery({ deliveryId, body }, options), body)
          },
        )
      } catch (failure) {
        if (isRowFailure(failure)) return { ...failedWith(failure), deliveryId: input.deliveryId }
        if (!isWorthSettling(failure, options)) throw failure
        return { ...failedWith(failure, 'unknown'), deliveryId: input.deliveryId }
      }
    },
  }
}

/** The delivery that a row is about, and everything else in the row. Throws `UsageError` for an invalid id. */
export function splitId(value: unknown): { deliveryId: string; rest: Record<string, unknown> } {
  if (!isRecord(value)) throw new UsageError('The row is not a JSON object')
  const { deliveryId, ...rest } = value
  if (typeof deliveryId !== 'string' || deliveryId === '') throw new UsageError('deliveryId is missing')
  encodeSegment('deliveryId', deliveryId)
  return { deliveryId, rest }
}
