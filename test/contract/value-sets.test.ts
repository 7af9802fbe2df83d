import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  DeliveryEvent,
  DriverEvent,
  ErrorBody,
  InstallationEvent,
  kindOfValues,
  operationRows,
  WebhookEvent,
} from '../../src/contract/index.js'
import { checkResponse } from '../../src/drift/index.js'

/** The values of every enum within a schema, by their path. */
function enumsIn(schema: z.ZodType, path: string): [string, readonly string[]][] {
  if (schema instanceof z.ZodEnum) return [[path, schema.options as string[]]]
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return enumsIn(schema.unwrap() as z.ZodType, path)
  if (schema instanceof z.ZodArray) return enumsIn(schema.element as z.ZodType, `${path}[]`)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => enumsIn(option as z.ZodType, path))
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape).flatMap(([name, field]) => enumsIn(field as z.ZodType, `${path}.${name}`))
}

const responses = Object.entries(operationRows).flatMap(([name, { responses: schemas }]) =>
  Object.values(schemas as Record<string, z.ZodType>).map((schema): [string, z.ZodType] => [name, schema]),
)
const events = { DeliveryEvent, DriverEvent, ErrorBody, InstallationEvent, WebhookEvent }

it('the table says of every enum of a response whether its values are closed, open or only seen', () => {
  const all = [...responses, ...Object.entries(events)].flatMap(([name, schema]) => enumsIn(schema, name))
  expect(all.length).toBeGreaterThan(30)
  expect(all.filter(([, values]) => kindOfValues(values) === undefined)).toEqual([])
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
