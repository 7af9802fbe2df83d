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
  let fields: Fields | undefined = fieldsOf(schema)
  for (const name of path.split('.')) fields = fields && memberOf(fields, name)
  return fields !== undefined
}

/** The outermost paths of a request body that its schema does not have. */
export function unknownRequestFields(schema: z.ZodType, body: unknown): string[] {
  const unknown: string[] = []
  addUnknown(fieldsOf(schema), body, '', unknown)
  return unknown
}

function addUnknown(fields: Fields, value: unknown, path: string, unknown: string[]): void {
  if (fields.isFree || typeof value !== 'object' || value === null || value instanceof JsonNumber) return
  // Rows come by the thousand: `in` takes twice as long as a list of the names, once rows have had many shapes.
  for (const name of Object.keys(value)) {
    const member: unknown = value[name as keyof typeof value]
    const known = memberOf(fields, name)
    if (known === undefined) unknown.push(below(path, name))
    else if (typeof member === 'object') addUnknown(known, member, below(path, name), unknown)
  }
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** What a value may hold, by its schemas, looked up once: several are the options of a union. */
interface Fields {
  names: ReadonlyMap<string, Fields>
  /** The elements of a list. */
  element: Fields | undefined
  /** The members under any name. */
  any: Fields | undefined
  /** Whether it may hold anything. */
  isFree: boolean
}

function memberOf(fields: Fields, name: string): Fields | undefined {
  const { names, element, any, isFree } = fields
  if (isFree) return fields
  return names.get(name) ?? (element !== undefined && /^\d+$/.test(name) ? element : any)
}

const fieldsBySchema = new WeakMap<z.ZodType, Fields>()

function fieldsOf(schema: z.ZodType): Fields {
  let fields = fieldsBySchema.get(schema)
  if (fields === undefined) {
    fields = fieldsOfAll([schema])
    fieldsBySchema.set(schema, fields)
  }
  return fields
}

function fieldsOfAll(schemas: readonly z.ZodType[]): Fields {
  const plain = schemas.flatMap(withoutWrappings)
  const objects = plain.flatMap((schema) => (schema.def.type === 'object' ? [(schema as z.ZodObject).shape] : []))
  const names = new Set(objects.flatMap((shape) => Object.keys(shape)))
  const any = plain.flatMap((schema) =>
    schema.def.type === 'record' ? [(schema as z.ZodRecord).valueType as z.ZodType] : [],
  )
  const elements = plain.flatMap((schema) =>
    schema.def.type === 'array' ? [(schema as z.ZodArray).element as z.ZodType] : [],
  )
  const member = (name: string) =>
    objects.flatMap((shape) => (Object.hasOwn(shape, name) ? [shape[name] as z.ZodType] : []))
  return {
    names: new Map([...names].map((name) => [name, fieldsOfAll([...member(name), ...any])])),
    element: elements.length === 0 ? undefined : fieldsOfAll([...elements, ...any]),
    any: any.length === 0 ? undefined : fieldsOfAll(any),
    isFree: plain.some((schema) => schema.def.type === 'unknown'),
  }
}

/** The schemas that a value is read by, without what only says that it may be missing or one of several. */
function withoutWrappings(schema: z.ZodType): z.ZodType[] {
  const { type } = schema.def
  if (type === 'optional' || type === 'nullable')
    return withoutWrappings((schema as z.ZodOptional).unwrap() as z.ZodType)
  return type === 'union' ? ((schema as z.ZodUnion).options as z.ZodType[]).flatMap(withoutWrappings) : [schema]
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
