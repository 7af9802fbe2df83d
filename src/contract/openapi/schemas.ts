import { z } from 'zod'
import {
  CancelRequest,
  Delivery,
  DeliveryListItem,
  DeliveryPage,
  DeliveryStatus,
  KnownDeliveryStatus,
  KnownStatusReasonCode,
  Pricing,
  ProofOfDelivery,
  ResolvedVerification,
  StatusHistoryEntry,
  StatusReasonCode,
} from '../deliveries.js'
import { Driver, DriverLocation, DriverProfile, Team } from '../drivers.js'
import { ErrorBody, ErrorCode, FieldError } from '../errors.js'
import { DeliveryEvent, DriverEvent, EventPage, EventRecord, EventType, InstallationEvent } from '../events.js'
import {
  Gate,
  Installation,
  InstallationListItem,
  InstallationPage,
  Serviceability,
  ServiceabilityRequest,
} from '../installations.js'
import {
  DeliveryCreate,
  DeliveryUpdate,
  DispatchInput,
  DropoffVerification,
  HandlingInput,
  PackageInput,
  patchOf,
  QuoteCreate,
  QuoteDropoffInput,
  TimeWindow,
  TimeWindows,
  VerificationInput,
} from '../orders.js'
import { Capabilities, Health } from '../platform.js'
import { Quote, QuoteResponse } from '../quotes.js'
import { SimulateRequest, SimulateResponse } from '../simulation.js'
import { Dropoff, DropoffInput, InstallationStop, Pickup, PickupInput, StructuredAddress, UnitStop } from '../stops.js'
import { descriptionOf, typeDescription } from './descriptions/index.js'

/** Schemas that are named components of the document and types of the package. */
export const namedSchemas = {
  CancelRequest,
  Capabilities,
  Delivery,
  DeliveryCreate,
  DeliveryEvent,
  DeliveryListItem,
  DeliveryPage,
  DeliveryStatus,
  DeliveryUpdate,
  DispatchInput,
  DispatchUpdate: patchOf(DispatchInput),
  Driver,
  DriverEvent,
  DriverLocation,
  DriverProfile,
  Dropoff,
  DropoffInput,
  DropoffUpdate: patchOf(DropoffInput),
  DropoffVerification,
  DropoffVerificationUpdate: patchOf(DropoffVerification),
  ErrorBody,
  EventPage,
  EventRecord,
  FieldError,
  Gate,
  HandlingInput,
  HandlingUpdate: patchOf(HandlingInput),
  Health,
  Installation,
  InstallationEvent,
  InstallationListItem,
  InstallationPage,
  InstallationStop,
  InstallationStopUpdate: patchOf(InstallationStop),
  KnownDeliveryStatus,
  KnownStatusReasonCode,
  PackageInput,
  PackageUpdate: patchOf(PackageInput),
  Pickup,
  PickupInput,
  PickupUpdate: patchOf(PickupInput),
  Pricing,
  ProofOfDelivery,
  Quote,
  QuoteCreate,
  QuoteDropoffInput,
  QuoteResponse,
  ResolvedVerification,
  Serviceability,
  ServiceabilityRequest,
  SimulateRequest,
  SimulateResponse,
  StatusHistoryEntry,
  StatusReasonCode,
  StructuredAddress,
  StructuredAddressUpdate: patchOf(StructuredAddress),
  Team,
  TimeWindow,
  TimeWindowUpdate: patchOf(TimeWindow),
  TimeWindows,
  TimeWindowsUpdate: patchOf(TimeWindows),
  UnitStop,
  UnitStopUpdate: patchOf(UnitStop),
  VerificationInput,
  VerificationUpdate: patchOf(VerificationInput),
} as const

/** Enums that have a name in the document; their types are written by hand. */
const namedEnums = { ErrorCode, EventType } as const

const names = new Map<z.ZodType, string>(
  Object.entries({ ...namedSchemas, ...namedEnums }).map(([name, schema]) => [schema, name]),
)

/** The document's `components.schemas`: every named schema, with references to the others by name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [schema, name] of names) registry.add(schema, { id: name })
  const { schemas } = z.toJSONSchema(registry, { io: 'input', unrepresentable: 'any', uri: reference })
  const described = Object.entries(schemas).map(([name, schema]): [string, JsonSchema] => {
    const { $schema, $id, ...whole } = schema as JsonSchema
    return [name, { description: typeDescription(name), ...withDescriptions(name, '', simplified(whole)) }]
  })
  return Object.fromEntries(described.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function withDescriptions(owner: string, path: string, schema: JsonSchema): JsonSchema {
  const properties = schema.properties as Record<string, JsonSchema> | undefined
  const inner = (part: unknown) => withDescriptions(owner, path, part as JsonSchema)
  return {
    ...schema,
    ...(Array.isArray(schema.anyOf) ? { anyOf: schema.anyOf.map(inner) } : {}),
    ...(schema.items === undefined ? {} : { items: inner(schema.items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => {
              const at = path === '' ? name : `${path}.${name}`
              const description = descriptionOf(owner, at)
              const whole = withDescriptions(owner, at, property)
              return [name, description === undefined ? whole : { description, ...whole }]
            }),
          ),
        }),
  }
}

/** A reference to a named schema, an array of such references, or the schema itself if it has no name. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const name = nameOf(schema)
  if (name !== undefined) return { $ref: reference(name) }
  if (schema instanceof z.ZodArray) return { type: 'array', items: schemaOf(schema.element as z.ZodType) }
  const { $schema, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return simplified(whole)
}

/** The name of a schema in the document, if it has one. */
export function nameOf(schema: z.ZodType): string | undefined {
  return names.get(schema)
}

function reference(name: string): string {
  return `#/components/schemas/${name}`
}

export type JsonSchema = Record<string, unknown>

/**
 * The same schema as people and generators read it best: null as a second type, one list of alternatives instead of
 * nested ones, no regular expression for what a format says, and nothing that is so anyway.
 */
function simplified(schema: JsonSchema): JsonSchema {
  const { additionalProperties, propertyNames, pattern, properties, items, anyOf, ...rest } = schema
  const whole: JsonSchema = {
    ...rest,
    ...(pattern === undefined || rest.format === 'date-time' ? {} : { pattern }),
    ...(items === undefined ? {} : { items: simplified(items as JsonSchema) }),
    ...(properties === undefined ? {} : { properties: simplifiedProperties(properties as JsonSchema) }),
    // Every object may have more members than are named.
    ...(properties === undefined && additionalProperties !== undefined ? { additionalProperties: true } : {}),
  }
  if (!Array.isArray(anyOf)) return whole
  const options = (anyOf as JsonSchema[]).map(simplified).flatMap(alternatives)
  const [only, ...others] = options.filter((option) => !isNull(option))
  const isNullable = options.some(isNull)
  if (only === undefined || others.length > 0) return { ...whole, anyOf: options }
  if (!isNullable) return { ...whole, ...only }
  if (typeof only.type !== 'string' || only.type === 'object') return { ...whole, anyOf: options }
  const values = only.enum as unknown[] | undefined
  return { ...whole, ...only, type: [only.type, 'null'], ...(values === undefined ? {} : { enum: [...values, null] }) }
}

function simplifiedProperties(properties: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, simplified(part as JsonSchema)]))
}

/** Inlines an option that is only a list of alternatives into the list around it. */
function alternatives(option: JsonSchema): JsonSchema[] {
  return Array.isArray(option.anyOf) && Object.keys(option).length === 1 ? (option.anyOf as JsonSchema[]) : [option]
}

function isNull(option: JsonSchema): boolean {
  return option.type === 'null'
}
