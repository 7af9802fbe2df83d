import { z } from 'zod'
import { Driver } from './drivers.js'
import { limits } from './limits.js'
import { operation } from './operation.js'
import { DeliveryCreate, DeliveryUpdate, verificationMechanisms } from './orders.js'
import {
  Cents,
  openEnum,
  openObject,
  Page,
  pageQuery,
  referenceInput,
  Timestamp,
  TimestampInput,
  textInput,
} from './primitives.js'
import { deliveryStatuses, statusReasonCodes } from './status-words.js'
import { Dropoff, Pickup } from './stops.js'
import type * as wire from './types.generated.js'

export const KnownDeliveryStatus = z.enum(deliveryStatuses)
/** A status of a delivery that this version knows. */
export type KnownDeliveryStatus = wire.KnownDeliveryStatus

/** A status of a response: a known one, or one that a newer service has added. */
export const DeliveryStatus = openEnum(deliveryStatuses)
export type DeliveryStatus = wire.DeliveryStatus

/** A `statusReasonCode` that this version knows. */
export const KnownStatusReasonCode = z.enum(statusReasonCodes)
export type KnownStatusReasonCode = wire.KnownStatusReasonCode
/** A reason of a response: a known one, or one that a newer service has added. */
export const StatusReasonCode = openEnum(statusReasonCodes)

/** The price of a delivery. All amounts are integer cents. */
export const Pricing = openObject({
  currency: z.string().nullish(),
  deliveryFeeCents: Cents.nullish(),
  tipAmountCents: Cents.nullish(),
  cancellationFeeCents: Cents.nullish(),
  totalPriceCents: Cents.nullish(),
})

/** The kinds of proof of delivery. */
export const proofTypes = ['photo', 'signature', 'barcode', 'pincode'] as const
/** Proof captured at a handover. */
export const ProofOfDelivery = openObject({
  type: openEnum(proofTypes),
  stage: openEnum(['dropoff']).nullish(),
  url: z.string().nullish(),
  capturedAt: Timestamp.nullish(),
})
export type ProofOfDelivery = wire.ProofOfDelivery

/** An entry whose form the contract does not define: these fields, as far as a service has them, or a text. */
const textOr = <Fields extends z.ZodRawShape>(fields: Fields) => z.union([openObject(fields), z.string()])

/** The verification that is enforced at the dropoff: what was added to the request, and what was suppressed and why. */
export const ResolvedVerification = openObject({
  dropoff: z.record(z.string(), z.unknown()).nullish(),
  derived: z
    .array(
      textOr({
        mechanism: openEnum(verificationMechanisms).nullish(),
        level: z.string().nullish(),
        minimumAge: z.number().int().nullish(),
        source: z.string().nullish(),
      }),
    )
    .nullish(),
  suppressed: z
    .array(
      textOr({
        mechanism: openEnum(verificationMechanisms).nullish(),
        reason: z.string().nullish(),
        substitutedBy: z.string().nullish(),
      }),
    )
    .nullish(),
})
export type ResolvedVerification = wire.ResolvedVerification

/** The contract does not define these fields; `occurredAt` is what the sandbox sends. */
export const StatusHistoryEntry = openObject({
  status: DeliveryStatus.nullish(),
  occurredAt: Timestamp.nullish(),
  statusReasonCode: StatusReasonCode.nullish(),
  statusReason: z.string().nullish(),
})
export type StatusHistoryEntry = wire.StatusHistoryEntry

export const Delivery = openObject({
  deliveryId: z.string().min(1),
  clientOrderReference: z.string().nullish(),
  status: DeliveryStatus,
  statusReason: z.string().nullish(),
  statusReasonCode: StatusReasonCode.nullish(),
  statusHistory: z.array(StatusHistoryEntry).nullish(),
  pickup: Pickup.nullish(),
  dropoff: Dropoff.nullish(),
  pricing: Pricing.nullish(),
  driver: Driver.nullish(),
  proofOfDelivery: z.array(ProofOfDelivery).nullish(),
  resolvedVerification: ResolvedVerification.nullish(),
  trackingUrl: z.string().nullish(),
  createdAt: Timestamp.nullish(),
  updatedAt: Timestamp.nullish(),
})
/** A delivery: the status, price, driver and proofs of an order. */
export type Delivery = wire.Delivery

export const DeliveryListItem = openObject({
  deliveryId: z.string().min(1),
  clientOrderReference: z.string().nullish(),
  status: DeliveryStatus,
  createdAt: Timestamp.nullish(),
  updatedAt: Timestamp.nullish(),
})
/** A delivery as lists show it: ids, status and times. `getDelivery` has the rest. */
export type DeliveryListItem = wire.DeliveryListItem

/** A page of `GET /deliveries`. */
export const DeliveryPage = Page('deliveries', DeliveryListItem)
export type DeliveryPage = wire.DeliveryPage

/** The query parameters of `GET /deliveries`. */
export const DeliveryListQuery = z.object({
  clientOrderReference: referenceInput(limits.clientOrderReferenceMaxLength).optional(),
  from: TimestampInput.optional(),
  to: TimestampInput.optional(),
  status: KnownDeliveryStatus.optional(),
  ...pageQuery,
})

/** Body of `POST /deliveries/{deliveryId}/cancel`. */
export const CancelRequest = z.object({
  reason: textInput(limits.cancelReasonMaxLength).optional(),
  reasonNotes: textInput(limits.cancelReasonNotesMaxLength).optional(),
})
export type CancelRequest = wire.CancelRequest

/** Errors about the order itself: create returns any of them, update those that its fields can cause. */
const orderErrors = [
  'VALIDATION_ERROR',
  'INVALID_PHONE_NUMBER',
  'INVALID_ADDRESS',
  'INVALID_TIME_CONSTRAINT',
  'INVALID_STORE_REFERENCE',
  'INVALID_TEAM_REFERENCE',
  'UNSUPPORTED_REQUIREMENT',
  'UNSUPPORTED_DESTINATION',
  'INSTALLATION_NOT_SERVED',
  'INSTALLATION_NOT_ACCEPTING_DELIVERIES',
  'PROHIBITED_CARGO_FOR_DESTINATION',
  'NO_ELIGIBLE_PROVIDERS',
  'NO_CREDENTIALED_DRIVER_AVAILABLE',
] as const

/** The operations on deliveries. */
export const deliveryOperations = {
  createDelivery: operation({
    method: 'POST',
    path: '/deliveries',
    summary: 'Create and dispatch a delivery',
    description:
      'Creates a delivery and starts dispatch. Returns 201, or 200 with `Idempotency-Replayed: true` if the same key ' +
      'and body were sent before. Returns `QUOTE_EXPIRED` after the quote’s `expiresAt`, and `DUPLICATE_ORDER` if ' +
      'another delivery has the same `clientOrderReference`.',
    tag: 'Deliveries',
    idempotencyKey: 'required',
    body: DeliveryCreate,
    responses: { 201: Delivery, 200: Delivery },
    errors: [...orderErrors, 'QUOTE_EXPIRED', 'DUPLICATE_ORDER', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_CONFLICT'],
  }),
  getDelivery: operation({
    method: 'GET',
    path: '/deliveries/{deliveryId}',
    summary: 'Get a delivery',
    description: 'Returns a delivery with its `statusHistory`. Use it to reconcile, not to poll for the status.',
    tag: 'Deliveries',
    responses: { 200: Delivery },
    errors: ['DELIVERY_NOT_FOUND'],
  }),
  listDeliveries: operation({
    method: 'GET',
    path: '/deliveries',
    summary: 'List deliveries, or find one by its reference',
    description:
      'Returns deliveries, newest first. `from` is required unless `clientOrderReference` is given; a lookup by ' +
      'reference returns one delivery or none.',
    tag: 'Deliveries',
    query: DeliveryListQuery,
    requiresOneOf: ['from', 'clientOrderReference'],
    responses: { 200: DeliveryPage },
    errors: ['VALIDATION_ERROR'],
    pageOf: 'deliveries',
  }),
  updateDelivery: operation({
    method: 'PATCH',
    path: '/deliveries/{deliveryId}',
    repeat: 'fields-compared',
    summary: 'Update a delivery',
    description:
      'Changes the fields that are sent: objects are shallow-merged, arrays are replaced, and `null` clears an ' +
      'optional scalar. After `pickup_complete` only `dropoff.instructions`, `dropoff.contactPhone` and ' +
      '`tipAmountCents` can change. A terminal delivery returns 409; a `dispatch_failed` one is dispatched again.',
    tag: 'Deliveries',
    body: DeliveryUpdate,
    responses: { 200: Delivery },
    errors: [...orderErrors, 'DELIVERY_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  }),
  cancelDelivery: operation({
    method: 'POST',
    path: '/deliveries/{deliveryId}/cancel',
    summary: 'Cancel a delivery',
    description:
      'Cancels a delivery. A fee may apply, so an idempotency key is recommended. A terminal delivery returns 409.',
    tag: 'Deliveries',
    idempotencyKey: 'optional',
    body: CancelRequest,
    bodyOptional: true,
    responses: { 200: Delivery },
    errors: [
      'VALIDATION_ERROR',
      'DELIVERY_NOT_FOUND',
      'INVALID_STATE_TRANSITION',
      'IDEMPOTENCY_KEY_REUSED',
      'IDEMPOTENCY_CONFLICT',
    ],
  }),
}
