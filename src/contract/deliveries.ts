import { z } from 'zod'
import { Driver } from './drivers.js'
import { limits } from './limits.js'
import { operation } from './operation.js'
import { DeliveryCreate, DeliveryUpdate, verificationMechanisms } from './orders.js'
import { Page, pageQuery } from './paging.js'
import { Cents, openEnum, openObject, Timestamp, TimestampInput, textInput } from './primitives.js'
import { DeliveryStatus, KnownDeliveryStatus, StatusReasonCode } from './statuses.js'
import { Dropoff, Pickup } from './stops.js'

export const Pricing = openObject({
  currency: z.string().optional(),
  deliveryFeeCents: Cents.optional(),
  tipAmountCents: Cents.nullish(),
  cancellationFeeCents: Cents.nullish(),
  totalPriceCents: Cents.optional(),
})

export const proofTypes = ['photo', 'signature', 'barcode', 'pincode'] as const
export const ProofOfDelivery = openObject({
  type: openEnum(proofTypes),
  stage: openEnum(['dropoff']).optional(),
  url: z.string().nullish(),
  capturedAt: Timestamp.nullish(),
})
export type ProofOfDelivery = z.infer<typeof ProofOfDelivery>

/** What will be enforced at the stop, what was added to the request, and what was refused and why. */
export const ResolvedVerification = openObject({
  dropoff: z.record(z.string(), z.unknown()).optional(),
  derived: z
    .array(
      openObject({
        mechanism: openEnum(verificationMechanisms).optional(),
        level: z.string().optional(),
        minimumAge: z.number().int().optional(),
        source: z.string().optional(),
      }),
    )
    .optional(),
  suppressed: z
    .array(
      openObject({
        mechanism: openEnum(verificationMechanisms).optional(),
        reason: z.string().optional(),
        substitutedBy: z.string().nullish(),
      }),
    )
    .optional(),
})
export type ResolvedVerification = z.infer<typeof ResolvedVerification>

/** The contract leaves these fields open; `occurredAt` is what the sandbox sends. */
export const StatusHistoryEntry = openObject({
  status: DeliveryStatus.optional(),
  occurredAt: Timestamp.optional(),
  statusReasonCode: StatusReasonCode.nullish(),
  statusReason: z.string().nullish(),
})
export type StatusHistoryEntry = z.infer<typeof StatusHistoryEntry>

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
export type Delivery = z.infer<typeof Delivery>

export const DeliveryListItem = openObject({
  deliveryId: z.string().min(1),
  clientOrderReference: z.string().nullish(),
  status: DeliveryStatus,
  createdAt: Timestamp.nullish(),
  updatedAt: Timestamp.nullish(),
})
export type DeliveryListItem = z.infer<typeof DeliveryListItem>

export const DeliveryPage = Page('deliveries', DeliveryListItem)
export type DeliveryPage = z.infer<typeof DeliveryPage>

export const DeliveryListQuery = z.object({
  clientOrderReference: textInput(limits.clientOrderReferenceMaxLength, 1).optional(),
  from: TimestampInput.optional(),
  to: TimestampInput.optional(),
  status: KnownDeliveryStatus.optional(),
  ...pageQuery,
})

export const CancelRequest = z.object({
  reason: textInput(limits.cancelReasonMaxLength).optional(),
  reasonNotes: textInput(limits.cancelReasonNotesMaxLength).optional(),
})
export type CancelRequest = z.infer<typeof CancelRequest>

/** Refusals of an order as such: create gives all of them, update those that its fields can cause. */
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

export const deliveryOperations = {
  /**
   * Creates and dispatches. Answers 201, or 200 with `Idempotency-Replayed: true` where the key and body were seen
   * before. `QUOTE_EXPIRED` once the quote's `expiresAt` has passed; `DUPLICATE_ORDER` where the reference is taken.
   */
  createDelivery: operation({
    method: 'POST',
    path: '/deliveries',
    summary: 'Create and dispatch a delivery',
    tag: 'Deliveries',
    idempotencyKey: 'required',
    body: DeliveryCreate,
    responses: { 201: Delivery, 200: Delivery },
    errors: [...orderErrors, 'QUOTE_EXPIRED', 'DUPLICATE_ORDER', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_CONFLICT'],
  }),
  /** One delivery with its `statusHistory`. Made for reconciliation, not for polling. */
  getDelivery: operation({
    method: 'GET',
    path: '/deliveries/{deliveryId}',
    summary: 'Read one delivery',
    tag: 'Deliveries',
    responses: { 200: Delivery },
    errors: ['DELIVERY_NOT_FOUND'],
  }),
  /** Newest first. `from` is required unless `clientOrderReference` is given, which looks up zero or one delivery. */
  listDeliveries: operation({
    method: 'GET',
    path: '/deliveries',
    summary: 'List deliveries, or look one up by reference',
    tag: 'Deliveries',
    query: DeliveryListQuery,
    responses: { 200: DeliveryPage },
    errors: ['VALIDATION_ERROR'],
    pageOf: 'deliveries',
  }),
  /**
   * Shallow-merges objects, replaces arrays, clears optional scalars by `null`. After `pickup_complete` only
   * `dropoff.instructions`, `dropoff.contactPhone` and `tipAmountCents` may change; a terminal delivery answers 409.
   * On a `dispatch_failed` delivery it triggers re-dispatch.
   */
  updateDelivery: operation({
    method: 'PATCH',
    path: '/deliveries/{deliveryId}',
    summary: 'Update a delivery',
    tag: 'Deliveries',
    body: DeliveryUpdate,
    responses: { 200: Delivery },
    errors: [...orderErrors, 'DELIVERY_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  }),
  /** A fee may apply, so a key is recommended. A terminal delivery answers 409. */
  cancelDelivery: operation({
    method: 'POST',
    path: '/deliveries/{deliveryId}/cancel',
    summary: 'Cancel a delivery',
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
