import { z } from 'zod'
import { openEnum } from './primitives.js'
import { deliveryStatuses, statusReasonCodes } from './status-words.js'

export const KnownDeliveryStatus = z.enum(deliveryStatuses)
export type KnownDeliveryStatus = z.infer<typeof KnownDeliveryStatus>

/** A status of a response: a known one, or one that a newer service has added. */
export const DeliveryStatus = openEnum(deliveryStatuses)
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

export const KnownStatusReasonCode = z.enum(statusReasonCodes)
export type KnownStatusReasonCode = z.infer<typeof KnownStatusReasonCode>
export const StatusReasonCode = openEnum(statusReasonCodes)
