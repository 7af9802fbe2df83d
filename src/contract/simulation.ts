import { z } from 'zod'
import { EventType } from './events.js'
import { operation } from './operation.js'
import { openObject } from './primitives.js'
import { DeliveryStatus, KnownDeliveryStatus, KnownStatusReasonCode } from './statuses.js'

export const SimulateRequest = z.object({
  advanceTo: KnownDeliveryStatus,
  statusReasonCode: KnownStatusReasonCode.optional(),
  emitIntermediateEvents: z.boolean().optional(),
})
export type SimulateRequest = z.infer<typeof SimulateRequest>

export const SimulateResponse = openObject({
  deliveryId: z.string(),
  livemode: z.boolean().optional(),
  status: DeliveryStatus,
  emittedEvents: z.array(EventType),
})
export type SimulateResponse = z.infer<typeof SimulateResponse>

export const simulationOperations = {
  /** Sandbox keys only. Webhooks of the emitted events follow asynchronously. An illegal move answers 422. */
  simulateDelivery: operation({
    method: 'POST',
    path: '/deliveries/{deliveryId}/simulate',
    summary: 'Advance a sandbox delivery',
    tag: 'Simulation',
    body: SimulateRequest,
    sandboxOnly: true,
    responses: { 200: SimulateResponse },
    errors: ['VALIDATION_ERROR', 'SANDBOX_ONLY', 'DELIVERY_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  }),
}
