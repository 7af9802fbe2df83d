import { UsageError } from '../contract/index.js'
import type { Notices } from './notices.js'
import { checkOrder } from './order-checks.js'
import { type OrderFile, openOrders } from './order-file.js'
import { assignmentsOf, type OrderFlags } from './order-flags.js'
import { parseAssignment, withValue } from './paths.js'

/** The order or orders of `--file`; without it an empty order that flags fill. */
export async function readOrders(flags: Pick<OrderFlags, 'file'>): Promise<OrderFile> {
  return flags.file === undefined ? { kind: 'single', order: {} } : openOrders(flags.file)
}

/** The one order of `--file`. Throws `UsageError` for a file of several. */
export async function readSingleOrder(flags: Pick<OrderFlags, 'file'>): Promise<Record<string, unknown>> {
  const file = await readOrders(flags)
  if (file.kind === 'single') return file.order
  throw new UsageError(`${flags.file} holds several orders; this command takes one.`, {
    hint: 'dlv deliveries create takes them all.',
  })
}

/** Puts field flags and `--set` over an order, in this order. Throws `UsageError`. */
export function completeOrder(order: unknown, flags: Partial<OrderFlags>, nowMs: number): Record<string, unknown> {
  if (typeof order !== 'object' || order === null || Array.isArray(order))
    throw new UsageError('An order is one JSON object.')
  const assignments = [...assignmentsOf(flags, nowMs), ...(flags.set ?? []).map((text) => parseAssignment(text))]
  return assignments.reduce((made, { path, value }) => withValue(made, path, value), order as Record<string, unknown>)
}

/** Warns of what looks wrong and throws `UsageError` at what the service surely refuses, each with the field's path. */
export function admitOrder(order: unknown, notices: Notices, nowMs: number): void {
  const { refusals, warnings } = checkOrder(order, nowMs)
  for (const { field, message } of warnings) notices.warn(`${field}: ${message}.`)
  const [first] = refusals
  if (first !== undefined) throw new UsageError(`${first.field} ${first.message}.`, { hint: 'Nothing was sent.' })
}
