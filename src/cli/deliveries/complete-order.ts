import { withHint } from '../../client/internal.js'
import { ApiError, cargoOf, DeliveryCreate, readRequest, UsageError } from '../../contract/index.js'
import { valueAt } from '../../render/view.js'
import { sentence } from '../../shared/sentence.js'
import { parseAssignment, withValue } from '../input/assignments.js'
import { checkField } from '../input/request-fields.js'
import type { Notices } from '../output/notices.js'
import type { ProcessContext } from '../process/context.js'
import { type FileReading, type OrderFile, openOrders } from './order-file.js'
import { assignmentsOf, fieldFlags, type OrderFlags } from './order-flags.js'
import { ageCheckWarnings, orderRefusals, orderWarnings, type PreflightRules } from './preflight.js'
import type { KeptValues, OrderAssignment } from './rows/kept-values.js'
import { withAssigned } from './rows/order-row.js'

/** The flags that complete an order. */
type CompletingFlags = Partial<OrderFlags> & {
  clear?: string[] | undefined
  'no-installation'?: boolean | undefined
  map?: string[] | undefined
  'map-file'?: string | undefined
}

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
  reading?: FileReading,
): Promise<Record<string, unknown>> {
  const file = await readOrders(context, flags, reading)
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
  flags: CompletingFlags,
  nowMs: number,
): (order: unknown, kept?: KeptValues) => Record<string, unknown> {
  const assignments = orderAssignments(flags, nowMs)
  return (order, kept) => withAssigned(order, assignments, kept)
}

/** The values that the flags assign in every order. Throws `UsageError` for an unknown field. */
export function orderAssignments(flags: CompletingFlags, nowMs: number): OrderAssignment[] {
  const contains = flags.contains === undefined ? undefined : (cargoOf(flags.contains, '--contains') as string[])
  const assignments = [
    ...assignmentsOf({ ...flags, contains }, nowMs).map((assignment) => ({ ...assignment, flag: '--set' })),
    ...typedAssignments(flags),
    ...(flags['no-installation'] ? offInstallation : []),
    ...modeForWindows(flags),
  ]
  return assignments.map((assignment) => ({ ...assignment, value: readAt(assignment) }))
}

/** A value as it is read in its place, so that it can be compared with a row's own. */
function readAt({ path, value, flag }: OrderAssignment): unknown {
  return valueAt(readRequest(DeliveryCreate, withValue({}, path, value, flag)), path)
}

/** Flags that set or map a window mean a scheduled order, unless they give a mode. */
function modeForWindows({ set, map, 'map-file': mapFile }: CompletingFlags): OrderAssignment[] {
  const setsWindow = (set ?? []).some((text) => /^timeWindows(?:\.(?:pickup|dropoff)\b|=)/.test(text.trim()))
  if (map === undefined && mapFile === undefined && !setsWindow) return []
  const flag = setsWindow ? '--set' : map === undefined ? '--map-file' : '--map'
  return [{ path: 'timeWindows.deliveryMode', value: 'scheduled', flag, forWindow: true }]
}

/**
 * The contract clears scalars only: an installation goes with its code and its gate, and with a new address the unit on
 * it goes too.
 */
const offInstallation: readonly OrderAssignment[] = [
  ...['code', 'gate'].map((name) => ({
    path: `dropoff.installation.${name}`,
    value: null,
    flag: '--no-installation',
    removes: '--no-installation',
  })),
  ...['buildingNumber', 'room', 'unitDesignation', 'deliveryPoint'].map((name) => ({
    path: `dropoff.unit.${name}`,
    value: null,
    flag: '--no-installation',
    forMove: true as const,
  })),
]

function typedAssignments({ set, clear }: CompletingFlags) {
  const typed = [
    ...(set ?? []).map((text) => ({ ...parseAssignment(text, 'input'), flag: '--set' })),
    ...(clear ?? []).map((path) => ({ path, value: null, flag: '--clear', removes: `--clear ${path}` })),
  ]
  for (const assignment of typed) checkField(DeliveryCreate, assignment, assignment.flag)
  return typed
}

/** Warns of what looks wrong, and throws `UsageError` for what would be refused, with the flag of the field. */
export function admitOrder(order: unknown, notices: Notices, rules: PreflightRules): void {
  const [first] = orderRefusals(order, rules)
  if (first !== undefined)
    throw new UsageError(sentence(`${named(first.field)}: ${first.message}`), { hint: 'Nothing was sent.' })
  const aboutChecks = rules.purpose === 'update' ? ageCheckWarnings(order) : []
  for (const { field, message } of [...orderWarnings(order), ...aboutChecks])
    notices.warn(sentence(`${named(field)}: ${message}`))
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
  const flag = Object.entries(fieldFlags).find(([, path]) => path === field)?.[0]
  return flag === undefined ? field : `${field} (--${flag})`
}
