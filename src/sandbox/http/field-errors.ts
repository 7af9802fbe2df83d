import type { z } from 'zod'
import { type FieldError, findDrift } from '../../contract/index.js'
import { Refusal } from '../core/refusal.js'

/** Fields that the contract does not know, for the switch that refuses them. */
export function unknownFieldErrors(schema: z.ZodType, body: unknown): FieldError[] {
  return findDrift(schema, body)
    .filter((drift) => drift.kind === 'unknown property')
    .map(({ path }) => ({ field: path, code: 'UNKNOWN_FIELD', message: 'is not a field of this request' }))
}

/** The 400 of a request that does not fit its schema. */
export function schemaRefusal(fieldErrors: readonly FieldError[]): Refusal {
  const [first] = fieldErrors
  const where = first === undefined ? '' : `: ${first.field} ${first.message ?? ''}`
  return new Refusal('VALIDATION_ERROR', `The request does not fit the contract${where}.`, { status: 400, fieldErrors })
}
