import { z } from 'zod'
import { DeliveryStatus, KnownDeliveryStatus, KnownStatusReasonCode } from './deliveries.js'
import { EventType } from './events.js'
import { operation } from './operation.js'
import { openObject } from './primitives.js'
import type * as wire from './types.generated.js'

/** Body of `POST /deliveries/{deliveryId}/simulate`. */
export const SimulateRequest = z.object({
  advanceTo: KnownDeliveryStatus,
  statusReasonCode: KnownStatusReasonCode.optional(),
  emitIntermediateEvents: z.boolean().optional(),
})
export type SimulateRequest = wire.SimulateRequest

/** The result of a simulation. */
export const SimulateResponse = openObject({
  deliveryId: z.string(),
  livemode: z.boolean().nullish(),
  status: DeliveryStatus,
  emittedEvents: z.array(EventType),
})
export type SimulateResponse = wire.SimulateResponse

/** The operations that only the sandbox has. */
export const simulationOperations = {
  simulateDelivery: operation({
    method: 'POST',
    path: '/deliveries/{deliveryId}/simulate',
    repeat: 'status-compared',
    summary: 'Advance a sandbox delivery',
    description:
      'Moves a delivery to a status and emits the events on the way. Sandbox keys only. Webhooks follow ' +
      'asynchronously. An illegal transition returns 422.',
    tag: 'Simulation',
    body: SimulateRequest,
    sandboxOnly: true,
    responses: { 200: SimulateResponse },
    errors: ['VALIDATION_ERROR', 'SANDBOX_ONLY', 'DELIVERY_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  }),
}
