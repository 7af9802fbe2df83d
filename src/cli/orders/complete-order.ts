import { cargoOf, DeliveryCreate, readRequest, UsageError } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import { valueAt } from '../../render/view.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import { windowWithoutMode } from '../../trade/updates.js'
import { refuseTestValuesOnProduction } from '../command/production-guard.js'
import { checkField, parseAssignment, withValue } from '../input/assignments.js'
import { assignmentsOf, flagOf, type OrderFlags } from './order-flags.js'
import { withAsap } from './sheets/loose-times.js'
import { type SheetForms, withForms } from './sheets/sheet-forms.js'
import type { SheetTimes } from './sheets/sheet-times.js'
import { withAddressPart, withStateOfZip } from './stated-address.js'

/** The flags that complete an order. */
type CompletingFlags = Partial<OrderFlags> & {
  clear?: string[] | undefined
  'no-installation'?: boolean | undefined
  map?: string[] | undefined
  'map-file'?: string | undefined
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

/** What completes each order, or each change, of a command. */
export interface OrderCompletion {
  assignments: readonly OrderAssignment[]
  quoteId?: string | undefined
  forms?: SheetForms | undefined
  /** Counts what rows of a file keep; without it, flags replace what the order has. */
  kept?: KeptValues | undefined
  /** Left out where only a part of the order is sent, which is judged by itself. */
  account?: Pick<Settings, 'environment' | 'profile'> | undefined
}

/**
 * An order with its values as the contract writes them, and with what flags assign; with `kept`, where it has no value
 * of its own. Throws `UsageError` for what is no order.
 */
function withAssigned(
  order: unknown,
  assignments: readonly OrderAssignment[],
  kept?: KeptValues,
): Record<string, unknown> {
  if (typeof order !== 'object' || order === null || Array.isArray(order))
    throw new UsageError('An order must be a JSON object.')
  const given = readRequest(DeliveryCreate, order as Record<string, unknown>)
  const made = (kept?.left(given, assignments) ?? assignments).reduce(
    (made, { path, value, flag, forWindow, forMove }) => {
      if (forWindow && windowWithoutMode(made) === undefined) return made
      if (forMove && (valueAt(made, 'dropoff.address') == null || valueAt(made, path) != null)) return made
      return path.startsWith('dropoff.address.')
        ? withAddressPart(made, path, value, flag)
        : withValue(made, path, value, flag)
    },
    given,
  )
  return made === given ? given : readRequest(DeliveryCreate, made)
}

/**
 * The order of one row or file, or a change of one: what flags assign is laid over it, and its phones and times are read
 * in the forms of the sheet.
 *
 * @throws UsageError for what is no order, or must not reach production
 */
export function completedOrder(
  value: unknown,
  { assignments, quoteId, account, forms, kept }: OrderCompletion,
): Record<string, unknown> {
  const assigned = withAssigned(withAsap(value), assignments, kept)
  const order = withForms(kept?.stated(assigned) ?? assigned, forms)
  if (account !== undefined) refuseTestValuesOnProduction(account, order)
  return quoteId === undefined ? order : { ...order, quoteId }
}

/** A value that a flag gives every order, and the flag for errors. */
interface OrderAssignment {
  path: string
  value: unknown
  flag: string
  /** The flag, such as `--store`, that only fills in what a row of several leaves blank. */
  by?: string | undefined
  /** Only for an order that has a window and does not say what it means. */
  forWindow?: true
  /** The flag, such as `--clear dropoff.instructions`, that removes the field of rows that give it no value. */
  removes?: string | undefined
  /** Only with a new address, whose unit nothing else gives. */
  forMove?: true
}

/**
 * Counts the rows of a file that keep a value of their own where a flag has another: flags fill in blanks, and remove
 * only what a row does not give.
 */
export class KeptValues {
  readonly #rows = new Map<string, { path: string; count: number }>()
  /** Rows with another value of their own, by the path of a `--set`. */
  readonly #replaced = new Map<string, number>()
  /** Addresses that got their state from their ZIP code. */
  readonly #states = new Map<string, number>()

  /**
   * @param purpose in an update, `null` is a value: it clears the field
   * @param times how times are read, which counts them
   */
  constructor(
    private readonly purpose: 'order' | 'update',
    private readonly times?: Pick<SheetTimes, 'begin' | 'text'>,
  ) {}

  /** Begins a new reading of the rows. */
  begin(): void {
    this.#rows.clear()
    this.#replaced.clear()
    this.#states.clear()
    this.times?.begin()
  }

  /** A row whose address has a state, if its ZIP code tells it, which is counted. */
  stated(row: Record<string, unknown>): Record<string, unknown> {
    const { order, state } = withStateOfZip(row)
    if (state !== undefined) this.#states.set(state, (this.#states.get(state) ?? 0) + 1)
    return order
  }

  /** The assignments that apply to a row. Counts the row once for each flag against which it keeps its own value. */
  left(row: unknown, assignments: readonly OrderAssignment[]): readonly OrderAssignment[] {
    const kept = new Map<string, string>()
    for (const { by, removes, path, value, flag: typed } of assignments) {
      const flag = by ?? removes
      if (flag === undefined && typed === '--set' && this.#ownPath(row, path, value) !== undefined)
        this.#replaced.set(path, (this.#replaced.get(path) ?? 0) + 1)
      if (flag === undefined || kept.has(flag)) continue
      const own = removes === undefined ? this.#ownPath(row, path, value) : givenPath(row, path)
      if (own !== undefined) kept.set(flag, own)
    }
    for (const [by, path] of kept) this.#rows.set(by, { path, count: (this.#rows.get(by)?.count ?? 0) + 1 })
    return assignments.filter(({ by, removes }) => !kept.has(by ?? removes ?? ''))
  }

  #ownPath(row: unknown, path: string, value: unknown): string | undefined {
    const own = valueAt(row, path)
    if (!this.#isBlank(own)) return canonicalJson(own) === canonicalJson(value) ? undefined : path
    // An order for now has no window.
    const window = 'timeWindows.dropoff'
    return value === 'asap' && !this.#isBlank(valueAt(row, window)) ? window : undefined
  }

  /** The flag, such as `--phone`, that gives a field to rows without one. */
  fillingFlag(field: string): string | undefined {
    return this.purpose === 'update' ? undefined : flagOf(field)
  }

  #isBlank(own: unknown): boolean {
    return own === undefined || own === '' || (own === null && this.purpose === 'order')
  }

  /**
   * `12 rows keep their own pickup.storeReference (--store fills in blanks), 3 rows lose their own dropoff.address (--set
   * replaces it); 18 times read in America/Chicago`; empty without such rows and times.
   */
  get text(): string {
    const replaced = [...this.#replaced].map(([path, count]) => {
      const rows = count === 1 ? '1 row loses its' : `${count.toLocaleString('en-US')} rows lose their`
      return `${rows} own ${path} (--set replaces it)`
    })
    const parts = [...this.#rows].map(([by, { path, count }]) => {
      const rows = count === 1 ? '1 row keeps its' : `${count.toLocaleString('en-US')} rows keep their`
      const why = /^--(?:clear|no-)/.test(by) ? 'does not remove it' : 'fills in blanks'
      return `${rows} own ${path} (${by} ${why})`
    })
    const states = [...this.#states].map(([state, count]) => {
      const [addresses, codes] =
        count === 1
          ? ['1 address gets', 'its ZIP code']
          : [`${count.toLocaleString('en-US')} addresses get`, 'their ZIP codes']
      return `${addresses} the state of ${codes}, ${state}`
    })
    return [[...parts, ...replaced, ...states].join(', '), this.times?.text ?? ''].filter(Boolean).join('; ')
  }
}

/** The path, if the row has a value there. */
function givenPath(row: unknown, path: string): string | undefined {
  const own = valueAt(row, path)
  return own === undefined || own === null || own === '' ? undefined : path
}
