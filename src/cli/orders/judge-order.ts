import type { z } from 'zod'
import { type RowError, rowErrorOf } from '../../bulk/index.js'
import { ApiError, type FieldError, UsageError, withHint } from '../../contract/index.js'
import { valueAt } from '../../render/view.js'
import { sentence } from '../../shared/texts.js'
import {
  ageCheckWarnings,
  halfWindowWarnings,
  orderRefusals,
  orderWarnings,
  type PreflightRules,
} from '../bulk/preflight.js'
import { rowErrorInFlags } from '../errors/flag-words.js'
import type { InstallationNames } from '../installations/order-names.js'
import type { Notices } from '../output/notices.js'
import { fieldFlags, flagOf } from './order-flags.js'
import type { SheetForms } from './sheets/sheet-forms.js'

/** Says in which zones the times of a single order were read. */
export function sayClocks(forms: SheetForms | undefined, notices: Notices): void {
  const text = forms?.times?.text ?? ''
  if (text !== '') notices.notice(`${text}.`)
}

/** What the judgement of an order needs. */
interface OrderJudge {
  notices: Notices
  names: InstallationNames
}

/** Warns of what looks wrong, and throws `UsageError` for what would be refused, with the flag of the field. */
export async function admitOrder(order: unknown, judge: OrderJudge, rules: PreflightRules): Promise<void> {
  await refuseOrder(order, judge, rules)
  warnOfOrder(order, judge, rules)
}

/** Throws `UsageError` for what would be refused, with the flag of the field. */
export async function refuseOrder(
  order: unknown,
  { names }: Pick<OrderJudge, 'names'>,
  rules: PreflightRules,
): Promise<void> {
  const [first] = orderRefusals(order, rules)
  if (first !== undefined)
    throw new UsageError(sentence(`${named(first.field)}: ${first.message}`), { hint: 'Nothing was sent.' })
  await names.look(order, named('dropoff.installation.code'))
}

/** What looks wrong in an order, or in a change of one, and would be accepted. */
export function warningsOf(
  order: unknown,
  names: InstallationNames,
  purpose: PreflightRules['purpose'],
  schema?: z.ZodType,
): FieldError[] {
  const ofPurpose = purpose === 'update' ? ageCheckWarnings(order) : halfWindowWarnings(order)
  return [...orderWarnings(order, schema, names.list.known), ...ofPurpose]
}

/** Warns of what looks wrong. */
export function warnOfOrder(
  order: unknown,
  { notices, names }: OrderJudge,
  rules: Pick<PreflightRules, 'purpose'>,
): void {
  sayWarnings(warningsOf(order, names, rules.purpose), notices)
}

/** Says what looks wrong, each with the flag of its field. */
export function sayWarnings(warnings: readonly FieldError[], notices: Pick<Notices, 'warn'>): void {
  for (const { field, message } of warnings) notices.warn(sentence(`${named(field)}: ${message}`))
}

/** The error of the service; if it misses fields of the order, its hint says which flags set them. */
export function withMissingFlags(error: unknown, order: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const refused = new Set(error.fieldErrors.map(({ field }) => field))
  const missing = Object.entries(fieldFlags).filter(([, path]) => refused.has(path) && valueAt(order, path) == null)
  if (missing.length === 0) return error
  return withHint(error, missing.map(([flag, path]) => `--${flag} sets ${path}.`).join(' '))
}

/** A field with the flag that sets it: `dropoff.contactPhone (--phone)`. */
function named(field: string): string {
  const flag = flagOf(field)
  return flag === undefined ? field : `${field} (${flag})`
}

/** Whether a failure is about one order or row, so that the next may succeed. */
export function isAboutRow(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof ApiError && [400, 404, 409, 422].includes(error.status))
}

/**
 * The error of one row in the words of the command line.
 *
 * @throws the failure itself, if the next row would meet it too
 */
export function rowFailure(failure: unknown): RowError {
  if (!isAboutRow(failure)) throw failure
  return rowErrorInFlags(rowErrorOf(failure))
}
