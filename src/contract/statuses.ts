import { z } from 'zod'
import { openEnum } from './primitives.js'
import { deliveryStatuses, statusReasonCodes } from './status-words.js'
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
