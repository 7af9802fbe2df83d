import { z } from 'zod'
import { limits } from './limits.js'
import { CentsInput, referenceInput, TimestampInput } from './primitives.js'
import { DropoffInput, PickupInput } from './stops.js'
import type * as wire from './types.generated.js'

/** The parts of an order, shared by create, update and quote requests. */

export const TimeWindow = z.object({ start: TimestampInput.optional(), end: TimestampInput.optional() })

/** Whether an order goes out at once or in a time window. */
export const deliveryModes = ['asap', 'scheduled'] as const
/** When to pick up and to deliver. */
export const TimeWindows = z.object({
  deliveryMode: z.enum(deliveryModes).optional(),
  pickup: TimeWindow.optional(),
  dropoff: TimeWindow.optional(),
})
export type TimeWindows = wire.TimeWindows

/** Cargo attributes that the contract mentions; others are accepted. */
export const cargoAttributes = ['alcohol', 'perishable_cold_chain', 'controlled_cargo'] as const
/** A cargo attribute; the contract does not close the list. */
export const CargoAttribute = z.string().min(1)

/** The contents of an order. */
export const PackageInput = z.object({
  description: z.string().optional(),
  itemsCount: z.int().min(0).optional(),
  valueCents: CentsInput.optional(),
  weightGrams: z.int().min(0).optional(),
  contains: z.array(CargoAttribute).max(100).optional(),
  items: z.array(z.record(z.string(), z.unknown())).max(1_000).optional(),
})
export type PackageInput = wire.PackageInput

/** How to choose a driver of an owned fleet. */
export const dispatchModes = ['team_queue', 'auto_assign'] as const
/** How to choose a driver of an owned fleet, and the team to choose from. */
export const DispatchInput = z.object({
  mode: z.enum(dispatchModes).optional(),
  teamReference: z.string().min(1).optional(),
})

/** The ways to verify a handover at the dropoff. */
export const verificationMechanisms = ['photo', 'signature', 'identity', 'pinCode', 'barcode'] as const
/** A way to verify a handover at the dropoff. */
export type VerificationMechanism = (typeof verificationMechanisms)[number]
/** How much a verification is asked for. */
export const verificationLevels = ['none', 'preferred', 'required'] as const
/** How much a verification is asked for. */
export type VerificationLevel = (typeof verificationLevels)[number]

const level = z.enum(verificationLevels).optional()
/** The checks at the dropoff, each with its level. */
export const DropoffVerification = z.object({
  photo: z.object({ level, substituteWhenProhibited: z.enum(verificationMechanisms).optional() }).optional(),
  signature: z.object({ level, collectSignerName: z.boolean().optional() }).optional(),
  identity: z.object({ level, minimumAge: z.int().min(0).max(150).optional() }).optional(),
  pinCode: z.object({ level, source: z.string().optional() }).optional(),
  barcode: z.object({ level, values: z.array(z.string()).max(1_000).optional() }).optional(),
})
export type DropoffVerification = wire.DropoffVerification
/** How the handover is verified. */
export const VerificationInput = z.object({ dropoff: DropoffVerification.optional() })
export type VerificationInput = wire.VerificationInput

/** To whom an order is handed over. */
export const handoffs = ['hand_to_recipient', 'cq_desk'] as const
/** One of `handoffs`, or a word that the contract does not list. */
export const OpenHandoff = z.string()
/** How to handle an order that nobody accepts at the door. */
export const undeliverableActions = ['return_to_pickup', 'fallback_handoff'] as const
/** How an order is handed over, and what to do if nobody accepts it. */
export const HandlingInput = z.object({
  handoff: OpenHandoff.optional(),
  undeliverableAction: z.enum(undeliverableActions).optional(),
  fallbackHandoff: OpenHandoff.optional(),
})

/** Body of `POST /deliveries`. */
export const DeliveryCreate = z.object({
  clientOrderReference: referenceInput(limits.clientOrderReferenceMaxLength),
  quoteId: z.string().min(1).optional(),
  pickup: PickupInput,
  dropoff: DropoffInput,
  timeWindows: TimeWindows.optional(),
  package: PackageInput.optional(),
  dispatch: DispatchInput.optional(),
  verification: VerificationInput.optional(),
  handling: HandlingInput.optional(),
  tipAmountCents: CentsInput.optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})
export type DeliveryCreate = wire.DeliveryCreate

/** The dropoff of a quote, for which the contact need not be known. */
export const QuoteDropoffInput = DropoffInput.partial({ contactName: true, contactPhone: true })

/** Body of `POST /quotes`: the fields of a create request, of which only the store and the address are required. */
export const QuoteCreate = z.object({
  clientOrderReference: referenceInput(limits.clientOrderReferenceMaxLength).optional(),
  pickup: PickupInput,
  dropoff: QuoteDropoffInput,
  timeWindows: TimeWindows.optional(),
  package: PackageInput.optional(),
  verification: VerificationInput.optional(),
})
export type QuoteCreate = wire.QuoteCreate

/** The update form of a type: every property is optional, and `null` clears it. */
type Patch<T> = T extends readonly unknown[]
  ? T | null
  : T extends object
    ? { [K in keyof T]?: Patch<T[K]> | null | undefined }
    : T | null

/** The update form of a schema, for objects at any depth; arrays and scalars keep their own rules. */
export function patchOf<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<Patch<z.infer<Schema>>, Patch<z.input<Schema>>> {
  return patchField(schema) as unknown as z.ZodType<Patch<z.infer<Schema>>, Patch<z.input<Schema>>>
}

/** One update form for each object, so that it can be told by its identity wherever it occurs. */
const patches = new WeakMap<z.ZodObject, z.ZodObject>()

function patchField(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return patchField(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodUnion)
    return z.union(schema.options.map((option) => patchField(option as z.ZodType)) as [z.ZodType])
  if (!(schema instanceof z.ZodObject)) return schema
  const known = patches.get(schema)
  if (known !== undefined) return known
  const shape: Record<string, z.ZodType> = {}
  for (const [name, field] of Object.entries(schema.shape))
    shape[name] = patchField(field as z.ZodType)
      .nullable()
      .optional()
  const patch = z.object(shape)
  patches.set(schema, patch)
  return patch
}

/** Body of `PATCH /deliveries/{deliveryId}`: the fields of a create request, all optional. */
export const DeliveryUpdate = patchOf(DeliveryCreate)
export type DeliveryUpdate = wire.DeliveryUpdate
