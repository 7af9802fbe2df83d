import { z } from 'zod'
import { JsonNumber } from '../shared/json-number.js'
import { proofTypes } from './deliveries.js'
import { driverStatuses } from './drivers.js'
import { errorCodes } from './error-codes.js'
import { deliveryEventTypes, driverEventTypes, eventTypes, installationEventTypes } from './event-types.js'
import { lastDeliveryStatuses } from './events.js'
import { accessLevels, branches, fpconLevels, permittedProofTypes } from './installations.js'
import {
  cargoAttributes,
  deliveryModes,
  dispatchModes,
  handoffs,
  undeliverableActions,
  verificationLevels,
  verificationMechanisms,
} from './orders.js'
import { accountTypes, healthStatuses } from './platform.js'
import { noQuoteReasons } from './quotes.js'
import { deliveryStatuses, statusReasonCodes } from './status-words.js'
import { deliveryPoints } from './stops.js'

/** Whether a dotted path such as `package.items.0.name` leads to a value that a request of this schema may hold. */
export function isRequestField(schema: z.ZodType, path: string): boolean {
  const reached = path.split('.').reduce((schemas, name) => membersOf(schemas, name), [schema])
  return reached.length > 0
}

/** The outermost paths of a request body that its schema does not have. */
export function unknownRequestFields(schema: z.ZodType, body: unknown): string[] {
  return unknownPaths([schema], body, '')
}

function unknownPaths(schemas: readonly z.ZodType[], value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`
    const members = membersOf(schemas, name)
    return members.length === 0 ? [at] : unknownPaths(members, member, at)
  })
}

/** The schemas of a member: several if one of the schemas is a union, none if no schema has it. */
function membersOf(schemas: readonly z.ZodType[], name: string): z.ZodType[] {
  return schemas.flatMap((schema) => {
    switch (schema.def.type) {
      case 'object': {
        const shape = (schema as z.ZodObject).shape as Record<string, z.ZodType>
        return Object.hasOwn(shape, name) ? [shape[name] as z.ZodType] : []
      }
      case 'optional':
      case 'nullable':
        return membersOf([(schema as z.ZodOptional).unwrap() as z.ZodType], name)
      case 'union':
        return membersOf((schema as z.ZodUnion).options as z.ZodType[], name)
      case 'array':
        return /^\d+$/.test(name) ? [(schema as z.ZodArray).element as z.ZodType] : []
      case 'record':
        return [(schema as z.ZodRecord).valueType as z.ZodType]
      case 'unknown':
        return [schema]
      default:
        return []
    }
  })
}

/** The paths of all fields of a request: objects and what they hold, lists without their elements. */
export function requestFieldPaths(schema: z.ZodType, path = ''): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return requestFieldPaths(schema.unwrap() as z.ZodType, path)
  if (schema instanceof z.ZodUnion)
    return (schema.options as z.ZodType[]).flatMap((option) => requestFieldPaths(option, path))
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`
    return [at, ...requestFieldPaths(field, at)]
  })
}

/**
 * Every set of values that responses are read by or requests consist of, by how the contract lists it. `closed`: it lists
 * them all. `open`: it lists them, and says that others can be added without notice. `seen`: it shows some ("values seen")
 * and does not say whether there are others, so that another one differs from nothing.
 */
export const valueSets: Readonly<Record<'closed' | 'open' | 'seen', readonly (readonly string[])[]>> = {
  closed: [branches, accountTypes, healthStatuses, deliveryModes, dispatchModes, verificationLevels],
  open: [
    deliveryStatuses,
    eventTypes,
    deliveryEventTypes,
    driverEventTypes,
    installationEventTypes,
    errorCodes,
    statusReasonCodes,
  ],
  seen: [
    proofTypes,
    // The stage of a proof.
    ['dropoff'],
    verificationMechanisms,
    driverStatuses,
    lastDeliveryStatuses,
    accessLevels,
    fpconLevels,
    // Imaging restrictions.
    ['no_recording_devices'],
    deliveryPoints,
    permittedProofTypes,
    noQuoteReasons,
    cargoAttributes,
    handoffs,
    undeliverableActions,
  ],
}

const seen = new Set(valueSets.seen.map((values) => values.join()))

/** Whether the contract shows these values and does not say whether there are others. */
export function areOnlySeen(values: readonly string[]): boolean {
  return seen.has(values.join())
}
