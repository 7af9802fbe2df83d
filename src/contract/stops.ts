import { z } from 'zod'
import { limits } from './limits.js'
import { openEnum, openObject, phonePattern, postalCodePattern, TextInput, textInput } from './primitives.js'
import type * as wire from './types.generated.js'

/** A ZIP code, checked by its form. */
export const PostalCodeInput = z.string().regex(postalCodePattern, 'must be a 5- or 9-digit US postal code')

/** An address in parts; its ZIP code is checked by form only. */
export const StructuredAddress = z.object({
  line1: TextInput,
  city: TextInput,
  state: z.string().min(2, 'must be a two-letter state or territory code'),
  postalCode: PostalCodeInput,
})
export type StructuredAddress = wire.StructuredAddress

/** A single line, or `{line1, city, state, postalCode}`. */
export const Address = z.union([TextInput, StructuredAddress])
export type Address = z.infer<typeof Address>

/** The place on an installation where an order is handed over. */
export const deliveryPoints = ['cq_desk', 'mailroom', 'gate_handoff', 'visitor_center'] as const
/** One of `deliveryPoints`. */
const DeliveryPoint = z.enum(deliveryPoints)

/** The military installation that an address is on. */
export const InstallationStop = z.object({
  code: z.string().min(1, 'must not be empty').optional(),
  gate: z.string().optional(),
})
/** The recipient's place on an installation. */
export const UnitStop = z.object({
  buildingNumber: z.string().optional(),
  room: z.string().optional(),
  unitDesignation: z.string().optional(),
  deliveryPoint: DeliveryPoint.optional(),
})

/** The store that an order is picked up at. */
export const PickupInput = z.object({ storeReference: z.string().min(1, 'must not be empty') })

/** The dropoff of a create request. A quote and a serviceability check need only some of its fields. */
export const DropoffInput = z.object({
  address: Address,
  contactName: TextInput,
  /** E.164; anything else is refused with `INVALID_PHONE_NUMBER`, so that the schema only describes it. */
  contactPhone: z.string().meta({ pattern: phonePattern.source }),
  instructions: textInput(limits.instructionsMaxLength).optional(),
  installation: InstallationStop.optional(),
  unit: UnitStop.optional(),
})
export type DropoffInput = wire.DropoffInput

/** The pickup and the dropoff of a response. */
export const Pickup = openObject({ storeReference: z.string().nullish(), businessName: z.string().nullish() })
/** The destination and the recipient of a delivery. */
export const Dropoff = openObject({
  address: z
    .union([
      z.string(),
      openObject({
        line1: z.string().nullish(),
        city: z.string().nullish(),
        state: z.string().nullish(),
        postalCode: z.string().nullish(),
      }),
    ])
    .nullish(),
  contactName: z.string().nullish(),
  contactPhone: z.string().nullish(),
  instructions: z.string().nullish(),
  installation: openObject({ code: z.string().nullish(), gate: z.string().nullish() }).nullish(),
  unit: openObject({
    buildingNumber: z.string().nullish(),
    room: z.string().nullish(),
    unitDesignation: z.string().nullish(),
    deliveryPoint: openEnum(deliveryPoints).nullish(),
  }).nullish(),
})
