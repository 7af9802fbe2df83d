import { expect, it } from 'vitest'
import { z } from 'zod'
import { checkResponse } from '../../src/cli/drift/check.js'
import * as contract from '../../src/contract/index.js'

const { operationRows } = contract
const valueSets = Object.values(contract.valueSets).flat()

/** The names of the schemas of the contract. */
const namesOf = new Map(
  Object.entries(contract).flatMap(([name, one]) => (one instanceof z.ZodType ? [[one, name]] : [])),
)

/** What a schema consists of, by its path from the nearest schema with a name. */
function* partsOf(schema: z.ZodType, from: string): Generator<[path: string, schema: z.ZodType]> {
  const path = schema instanceof z.ZodObject ? (namesOf.get(schema) ?? from) : from
  yield [path, schema]
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    yield* partsOf(schema.unwrap() as z.ZodType, path)
  else if (schema instanceof z.ZodArray) yield* partsOf(schema.element as z.ZodType, path)
  else if (schema instanceof z.ZodUnion) for (const option of schema.options) yield* partsOf(option as z.ZodType, path)
  else if (schema instanceof z.ZodObject)
    for (const [name, member] of Object.entries(schema.shape)) yield* partsOf(member as z.ZodType, `${path}.${name}`)
}

const { DeliveryEvent, DriverEvent, ErrorBody, InstallationEvent, WebhookEvent } = contract
const responses = [
  ...Object.values(operationRows).flatMap((row) => Object.values(row.responses as Record<string, z.ZodType>)),
  ...[DeliveryEvent, DriverEvent, ErrorBody, InstallationEvent, WebhookEvent],
].flatMap((schema) => [...partsOf(schema, '')])

it('the table has every set of values that is read or sent, closed, open or only seen', () => {
  const sent = Object.values(operationRows).flatMap((row) =>
    'body' in row ? [...partsOf(row.body as z.ZodType, '')] : [],
  )
  const enums = [...responses, ...sent].flatMap(([path, one]) =>
    one instanceof z.ZodEnum ? [[path, one.options as string[]] as const] : [],
  )
  expect(enums.length).toBeGreaterThan(40)
  const known = new Set(valueSets.map((values) => values.join()))
  expect(enums.filter(([, values]) => !known.has(values.join()))).toEqual([])
  // A list may also be a part of a set, such as the final statuses. These hold no values of the wire.
  const others = ['capabilities', 'operationNames', 'unsafeKeys']
  const beyond = Object.entries(contract).filter(([name, list]) => {
    const words = [...(Array.isArray(list) || list instanceof Set ? list : [])]
    if (others.includes(name) || words.some((word) => typeof word !== 'string')) return false
    return !valueSets.some((values) => words.every((word) => values.includes(word as string)))
  })
  expect(beyond.map(([name]) => name)).toEqual([])
})

/**
 * Members without which an answer cannot be read, by schema. The contract does not show which members are required: each
 * is one that names a thing, or is all that an answer is there for.
 */
const reliedMembers: Readonly<Record<string, readonly string[]>> = {
  Capabilities: ['accountType', 'capabilities'],
  Health: ['status'],
  Delivery: ['deliveryId', 'status'],
  SimulateResponse: ['deliveryId', 'status', 'emittedEvents'],
  DeliveryPage: ['deliveries'],
  DeliveryListItem: ['deliveryId', 'status'],
  ProofOfDelivery: ['type'],
  DriverLocation: ['latitude', 'longitude'],
  QuoteResponse: ['quotes'],
  Quote: ['quoteId', 'totalPriceCents'],
  DriverProfile: ['id'],
  Team: ['id'],
  Installation: ['code'],
  InstallationPage: ['installations'],
  InstallationListItem: ['code'],
  Gate: ['name'],
  Serviceability: ['serviceable', 'installation.code'],
  EventPage: ['events'],
  EventRecord: ['eventId', 'eventType', 'occurredAt', 'data'],
  WebhookEvent: ['eventId', 'eventType', 'occurredAt'],
  DeliveryEvent: ['eventId', 'eventType', 'occurredAt', 'delivery'],
  DriverEvent: ['eventId', 'eventType', 'occurredAt', 'driver'],
  InstallationEvent: ['eventId', 'eventType', 'occurredAt', 'changed', 'affectedDeliveryCount', 'installation'],
  ErrorBody: ['error', 'error.code', 'error.message'],
  FieldError: ['field', 'code'],
}

it('responses rely on these members and no others', () => {
  const required = responses.flatMap(([path, one]) =>
    one instanceof z.ZodObject
      ? Object.entries(one.shape).flatMap(([name, member]) =>
          (member as z.ZodType)._zod.optin === 'optional' ? [] : [`${path}.${name}`],
        )
      : [],
  )
  const relied = Object.entries(reliedMembers).flatMap(([schema, names]) => names.map((name) => `${schema}.${name}`))
  expect(relied.sort()).toEqual([...new Set(required)].sort())
})

it('drift names a new status, but no word of which the contract shows only some, and no details of any shape', () => {
  const findings = (method: string, path: string, status: number, body: unknown) =>
    checkResponse({ method, path, status, headers: [], body: JSON.stringify(body) })?.map(({ path: at }) => at)
  const installation = { code: 'FTX', fpconLevel: 'hardened', accessLevel: 'by_list', permittedProofTypes: ['voice'] }
  expect(findings('GET', '/installations/FTX', 200, installation)).toEqual([])
  expect(findings('GET', '/installations/FTX', 200, { ...installation, branch: 'air_guard' })).toEqual(['branch'])
  expect(findings('GET', '/deliveries/del_1', 200, { deliveryId: 'del_1', status: 'held' })).toEqual(['status'])
  for (const details of ['quota', [1], { limit: 3 }]) {
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'm', requestId: 'r', details }
    expect(findings('GET', '/deliveries/del_1', 429, { error })).toEqual([])
  }
})
