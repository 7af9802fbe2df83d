import { z } from 'zod'
import {
  CancelRequest,
  Delivery,
  DeliveryListItem,
  DeliveryPage,
  Pricing,
  ProofOfDelivery,
  ResolvedVerification,
  StatusHistoryEntry,
} from '../deliveries.js'
import { Driver, DriverLocation, DriverProfile, Team } from '../drivers.js'
import { ErrorBody, FieldError } from '../errors.js'
import { DeliveryEvent, DriverEvent, EventPage, EventRecord, InstallationEvent } from '../events.js'
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
  QuoteCreate,
  TimeWindow,
  TimeWindows,
} from '../orders.js'
import { Capabilities, Health } from '../platform.js'
import { Quote, QuoteResponse } from '../quotes.js'
import { SimulateRequest, SimulateResponse } from '../simulation.js'
import { DeliveryStatus, KnownDeliveryStatus, KnownStatusReasonCode, StatusReasonCode } from '../statuses.js'
import { Dropoff, InstallationStop, Pickup, PickupInput, StructuredAddress, UnitStop } from '../stops.js'
import { descriptionOf, typeDescription } from './descriptions.js'

/** Schemas that are named components of the document. */
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
  Driver,
  DriverEvent,
  DriverLocation,
  DriverProfile,
  Dropoff,
  DropoffVerification,
  ErrorBody,
  EventPage,
  EventRecord,
  FieldError,
  Gate,
  HandlingInput,
  Health,
  Installation,
  InstallationEvent,
  InstallationListItem,
  InstallationPage,
  InstallationStop,
  KnownDeliveryStatus,
  KnownStatusReasonCode,
  PackageInput,
  Pickup,
  PickupInput,
  Pricing,
  ProofOfDelivery,
  Quote,
  QuoteCreate,
  QuoteResponse,
  ResolvedVerification,
  Serviceability,
  ServiceabilityRequest,
  SimulateRequest,
  SimulateResponse,
  StatusHistoryEntry,
  StatusReasonCode,
  StructuredAddress,
  Team,
  TimeWindow,
  TimeWindows,
  UnitStop,
} as const

export type JsonSchema = Record<string, unknown>

const names = new Map<z.ZodType, string>(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]))

/** The document's `components.schemas`: every named schema, with references to the others by name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [schema, name] of names) registry.add(schema, { id: name })
  const { schemas } = z.toJSONSchema(registry, { io: 'input', unrepresentable: 'any', uri: reference })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, described(name, withoutIdentity(schema as JsonSchema))]),
  )
}

/** A schema with the descriptions of its type and of all its properties. */
function described(name: string, schema: JsonSchema): JsonSchema {
  const description = typeDescription(name)
  return { ...(description === undefined ? {} : { description }), ...withDescriptions(name, '', schema) }
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
              return [name, description === undefined ? whole : { ...whole, description }]
            }),
          ),
        }),
  }
}

/** A reference to a named schema, an array of such references, or the schema itself if it has no name. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const name = names.get(schema)
  if (name !== undefined) return { $ref: reference(name) }
  if (schema instanceof z.ZodArray) return { type: 'array', items: schemaOf(schema.element as z.ZodType) }
  return withoutIdentity(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
}

function reference(name: string): string {
  return `#/components/schemas/${name}`
}

function withoutIdentity({ $schema, $id, ...schema }: JsonSchema): JsonSchema {
  return schema
}
