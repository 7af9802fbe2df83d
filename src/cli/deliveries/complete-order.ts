import { DeliveryCreate, UsageError } from '../../contract/index.js'
import { parseAssignment, withValue } from '../input/assignments.js'
import { checkCargo, checkField } from '../input/request-fields.js'
import type { Notices } from '../output/notices.js'
import type { ProcessContext } from '../process/context.js'
import { type FileReading, type OrderFile, openOrders } from './order-file.js'
import { assignmentsOf, type OrderFlags } from './order-flags.js'
import { checkOrder, refusalsOf } from './preflight.js'

/** The order or orders of `--file`; without it, an empty order for the flags. */
export async function readOrders(
  context: ProcessContext,
  flags: Pick<OrderFlags, 'file'>,
  reading?: FileReading,
): Promise<OrderFile> {
  return flags.file === undefined ? { kind: 'single', order: {} } : openOrders(context, flags.file, reading)
}

/** The order of `--file`. Throws `UsageError` for a file with several. */
export async function readSingleOrder(
  context: ProcessContext,
  flags: Pick<OrderFlags, 'file'>,
): Promise<Record<string, unknown>> {
  const file = await readOrders(context, flags)
  if (file.kind === 'single') return file.order
  throw new UsageError(`${flags.file} contains several orders, but this command takes one.`, {
    hint: 'Use dlv deliveries create for several orders.',
  })
}

/**
 * Returns a function that applies the flags to many orders; the flags are parsed once. Throws `UsageError` for an
 * unknown field.
 */
export function orderCompleter(
  flags: Partial<OrderFlags> & { clear?: string[] | undefined },
  nowMs: number,
): (order: unknown) => Record<string, unknown> {
  const assignments = [
    ...assignmentsOf(flags, nowMs).map(({ path, value }) => ({ path, value, flag: '--set' })),
    ...typedAssignments(flags),
  ]
  checkCargo(flags.contains ?? [], '--contains')
  return (order) => {
    if (typeof order !== 'object' || order === null || Array.isArray(order))
      throw new UsageError('An order must be a JSON object.')
    const given = order as Record<string, unknown>
    return assignments.reduce((made, { path, value, flag }) => withValue(made, path, value, flag), given)
  }
}

function typedAssignments({ set, clear }: Partial<OrderFlags> & { clear?: string[] | undefined }) {
  const typed = [
    ...(set ?? []).map((text) => ({ ...parseAssignment(text), flag: '--set' })),
    ...(clear ?? []).map((path) => ({ path, value: null, flag: '--clear' })),
  ]
  for (const assignment of typed) checkField(DeliveryCreate, assignment, assignment.flag)
  return typed
}

/** Rejects a row that the service would certainly reject. Throws `UsageError`. */
export function admitRow(order: unknown): void {
  const [first] = refusalsOf(order)
  if (first !== undefined) throw new UsageError(`${first.field} ${first.message}`)
}

/**
 * Warns of what looks wrong, and throws `UsageError` for what the service would certainly reject, each with the field's
 * path.
 */
export function admitOrder(order: unknown, notices: Notices, nowMs: number): void {
  const { refusals, warnings } = checkOrder(order, nowMs)
  for (const { field, message } of warnings) notices.warn(`${field}: ${message}.`)
  const [first] = refusals
  if (first !== undefined) throw new UsageError(`${first.field} ${first.message}.`, { hint: 'Nothing was sent.' })
}
