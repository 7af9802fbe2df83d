import { z } from 'zod'
import {
  DeliveryCreate,
  type DeliveryUpdate,
  type FieldError,
  fieldErrorsOf,
  type VerificationLevel,
} from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import { isActive } from '../../trade/statuses.js'
import { fieldsAfterPickup, isFixedField, mayUpdate, mergePatch } from '../../trade/updates.js'
import type { DeliveryRow, InstallationRow } from '../model.js'
import { unsupported } from './checks/requirements.js'
import { Refusal } from './refusal.js'
import { type Demand, demandsOf, isLower } from './verification.js'

/** Throws unless the stage of the delivery lets every one of these fields be changed. */
export function checkStage(row: DeliveryRow, patch: DeliveryUpdate): void {
  const changed = changedPaths(patch)
  if (!isActive(row.status)) throw notUpdatable(row, changed)
  const fixed = changed.filter(isFixedField)
  if (fixed.length > 0)
    throw inconsistent('These fields cannot be updated', fixed, 'NOT_UPDATABLE', 'cannot be updated')
  const late = changed.filter((path) => !mayUpdate(row.status, path))
  if (late.length > 0) throw notUpdatable(row, late)
}

/** The order with the update merged in; throws 422 if `null` clears what has to stay, or a part is left incomplete. */
export function mergedOrder(order: DeliveryCreate, patch: DeliveryUpdate): DeliveryCreate {
  const kept = clearedPaths(patch).filter((path) => !isClearable(path))
  if (kept.length > 0)
    throw inconsistent(
      'These fields cannot be cleared',
      kept.map((path) => path.join('.')),
      'NOT_CLEARABLE',
      'cannot be cleared: null clears only optional scalars',
    )
  const merged = DeliveryCreate.safeParse(mergePatch(order, patch), { reportInput: true })
  if (merged.success) return merged.data
  const fieldErrors = fieldErrorsOf(merged.error.issues)
  throw new Refusal('VALIDATION_ERROR', 'The update leaves an order that is not valid.', { status: 422, fieldErrors })
}

/** Throws if the update lowers a check that cargo or the destination demands of the order as it will be. */
export function checkLowering(
  patch: DeliveryUpdate,
  order: DeliveryCreate,
  installation: InstallationRow | undefined,
): void {
  for (const demand of demandsOf({ ...order, verification: raisedOnly(order) }, installation)) {
    const check = patch.verification?.dropoff?.[demand.mechanism] as LoweringCheck | undefined
    if (check === undefined || check === null) continue
    const at = `verification.dropoff.${demand.mechanism}`
    if ('level' in check && isLower(check.level, demand.level))
      throw unsupported(`${at}.level`, `cannot be lower than ${demand.level}: ${demand.source} demands it`)
    if (isYounger(check, demand))
      throw unsupported(`${at}.minimumAge`, `cannot be lower than ${demand.minimumAge}: ${demand.source} demands it`)
  }
}

type LoweringCheck = { level?: VerificationLevel | null; minimumAge?: number | null } | null

/** Without the age that the order asks for, what is left is the age that its cargo demands. */
function raisedOnly(order: DeliveryCreate): DeliveryCreate['verification'] {
  const { identity, ...others } = order.verification?.dropoff ?? {}
  const level = identity?.level
  return { dropoff: { ...others, ...(level === undefined ? {} : { identity: { level } }) } }
}

function isYounger(check: NonNullable<LoweringCheck>, demand: Demand): boolean {
  if (demand.minimumAge === undefined || check.minimumAge === undefined) return false
  return (check.minimumAge ?? 0) < demand.minimumAge
}

function notUpdatable(row: DeliveryRow, fields: readonly string[]): Refusal {
  const message = `cannot be updated once a delivery is ${row.status}`
  const fieldErrors = fields.map((field): FieldError => ({ field, code: 'NOT_UPDATABLE', message }))
  return new Refusal('INVALID_STATE_TRANSITION', `These fields cannot change once a delivery is ${row.status}.`, {
    fieldErrors,
    details: { status: row.status, updatable: isActive(row.status) ? [...fieldsAfterPickup] : [] },
  })
}

function inconsistent(says: string, fields: readonly string[], code: string, message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `${says}: ${fields.join(', ')}.`, {
    status: 422,
    fieldErrors: fields.map((field) => ({ field, code, message })),
  })
}

/** Whether `null` may clear a field of an order: only optional scalars, and anything that metadata holds. */
function isClearable(path: readonly string[]): boolean {
  let schema: z.ZodType = DeliveryCreate
  for (const [index, name] of path.entries()) {
    const holder = holderOf(schema)
    if (holder instanceof z.ZodRecord) return true
    const field = holder?.shape[name] as z.ZodType | undefined
    if (field === undefined) return true
    if (index === path.length - 1) return field instanceof z.ZodOptional && isScalar(field)
    schema = field
  }
  return false
}

/** The object or record that a schema describes, if it does; of a union the one that has members. */
function holderOf(schema: z.ZodType): z.ZodObject | z.ZodRecord | undefined {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodObject || inner instanceof z.ZodRecord) return inner
  if (!(inner instanceof z.ZodUnion)) return undefined
  return inner.options.map((option) => holderOf(option as z.ZodType)).find((holder) => holder !== undefined)
}

function isScalar(schema: z.ZodType): boolean {
  return holderOf(schema) === undefined && !(unwrapped(schema) instanceof z.ZodArray)
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema
}

/** The paths that a patch sets or clears, such as `dropoff.contactPhone`; an array counts as one value. */
export function changedPaths(patch: unknown, prefix = ''): string[] {
  if (!isRecord(patch)) return prefix === '' ? [] : [prefix]
  return Object.entries(patch).flatMap(([name, value]) =>
    value === undefined || name === '__proto__' ? [] : changedPaths(value, prefix === '' ? name : `${prefix}.${name}`),
  )
}

/** The paths that a patch asks to clear. */
export function clearedPaths(patch: unknown, prefix: readonly string[] = []): string[][] {
  if (patch === null) return [[...prefix]]
  if (!isRecord(patch)) return []
  return Object.entries(patch).flatMap(([name, value]) => clearedPaths(value, [...prefix, name]))
}
