import type { Delivery } from '../contract/index.js'
import { isRecord, textAt } from '../shared/json.js'
import { type OrderWindow, timeMsOf } from '../trade/promise.js'
import type { SentFacts } from '../trade/sent-facts.js'
import { mergePatch } from '../trade/updates.js'

/** The facts of an order that dlv sent or changed. Times in RFC 3339; absent or `null` if there is none. */
export interface SentOrder {
  sentAt?: string | undefined
  idempotencyKey?: string | undefined
  /** The file that it is from. */
  file?: string | undefined
  /** Its line there, or its row in a sheet. */
  line?: number | undefined
  quoteId?: string | null | undefined
  windowStart?: string | null | undefined
  windowEnd?: string | null | undefined
  installation?: string | null | undefined
  package?: unknown
  verification?: unknown
}

/** An order as it was sent, or what became of it, where `null` is a value that was removed. */
export type SentLine = { clientOrderReference: string } & (
  | { sent: SentOrder }
  | { quoteId: string }
  | { installation: string | null }
  | { moved: { start?: string | null; end?: string | null } | null }
  | { changed: { package?: unknown; verification?: unknown } }
)

/** What is known of the orders of an account. */
export interface KnownOrders {
  /** The facts of an order by its reference. */
  facts(reference: string): SentFacts | undefined
  /** The ETAs of their quotes in milliseconds since the epoch. */
  quotes: ReadonlyMap<string, number>
  /** The windows that they asked for. */
  windows: ReadonlyMap<string, OrderWindow>
  /** The codes of their installations. */
  installations: ReadonlyMap<string, string>
}

/** What is known where nothing was ever sent. */
export const noOrders: KnownOrders = {
  facts: () => undefined,
  quotes: new Map(),
  windows: new Map(),
  installations: new Map(),
}

export function sentFactsOf(order: SentOrder): SentFacts {
  const { sentAt, file, windowStart, windowEnd, installation, package: cargo, verification } = order
  const hasWindow = windowStart != null || windowEnd != null
  return {
    sentAt: sentAt ?? null,
    file: file ?? null,
    window: hasWindow ? { start: windowStart ?? null, end: windowEnd ?? null } : null,
    installation: installation ?? null,
    package: isRecord(cargo) ? cargo : null,
    verification: isRecord(verification) ? verification : null,
  }
}

/** The orders by what a report needs of each. */
export function knownOrders(
  orders: ReadonlyMap<string, SentOrder>,
  etaOf: (quoteId: string) => string | undefined,
): KnownOrders {
  const quotes = new Map<string, number>()
  const windows = new Map<string, OrderWindow>()
  const installations = new Map<string, string>()
  for (const [reference, order] of orders) {
    const { quoteId, windowStart, windowEnd, installation } = order
    const etaMs = quoteId == null ? undefined : timeMsOf(etaOf(quoteId))
    if (etaMs !== undefined) quotes.set(reference, etaMs)
    if (windowStart != null || windowEnd != null)
      windows.set(reference, { startMs: timeMsOf(windowStart), endMs: timeMsOf(windowEnd) })
    if (installation != null) installations.set(reference, installation)
  }
  const facts = (reference: string) => {
    const order = orders.get(reference)
    return order && sentFactsOf(order)
  }
  return { facts, quotes, windows, installations }
}

/** Adds lines to the orders that they tell of, in their order; one that is not understood does nothing. */
export class SentOrders {
  /** By their references. */
  readonly orders = new Map<string, SentOrder>()

  /** @param known an order as earlier lines have told it */
  constructor(private readonly known: (reference: string) => SentOrder | undefined = () => undefined) {}

  add(line: unknown): void {
    if (!isRecord(line)) return
    const { clientOrderReference: reference, quoteId, sent, moved, installation, changed } = line
    if (typeof reference !== 'string') return
    const order = this.orders.get(reference) ?? { ...this.known(reference) }
    this.orders.set(reference, order)
    if (isRecord(sent)) Object.assign(order, sent)
    if (typeof quoteId === 'string') order.quoteId = quoteId
    if (isRecord(changed))
      for (const name of ['package', 'verification'] as const)
        if (name in changed) order[name] = mergePatch(order[name], changed[name])
    if ('installation' in line) order.installation = typeof installation === 'string' ? installation : null
    if (!('moved' in line)) return
    // The time of the quote was for the window before.
    order.quoteId = null
    const { start, end } = isRecord(moved) ? moved : { start: null, end: null }
    if (start !== undefined) order.windowStart = typeof start === 'string' ? start : null
    if (end !== undefined) order.windowEnd = typeof end === 'string' ? end : null
  }
}

/** What an accepted update gave an order of window, installation, package and checks, or that it has none now. */
export function movedLines(
  { clientOrderReference }: Pick<Delivery, 'clientOrderReference'>,
  patch: unknown,
): SentLine[] {
  if (typeof clientOrderReference !== 'string' || !isRecord(patch)) return []
  const installation = installationOf(patch)
  const moved = windowOf(patch.timeWindows)
  const changed = changedOf(patch)
  return [
    ...(changed === undefined ? [] : [{ clientOrderReference, changed }]),
    ...(installation === undefined ? [] : [{ clientOrderReference, installation }]),
    ...(moved === undefined ? [] : [{ clientOrderReference, moved }]),
  ]
}

function changedOf({ package: cargo, verification }: Readonly<Record<string, unknown>>) {
  const { description: _, items: __, ...measures } = isRecord(cargo) ? cargo : {}
  const changed = {
    ...(cargo === null ? { package: null } : Object.keys(measures).length > 0 ? { package: measures } : {}),
    ...(verification === undefined ? {} : { verification }),
  }
  return Object.keys(changed).length === 0 ? undefined : changed
}

function windowOf(timeWindows: unknown): { start?: string | null; end?: string | null } | null | undefined {
  if (!isRecord(timeWindows)) return undefined
  const { deliveryMode, pickup, dropoff } = timeWindows
  if (deliveryMode === 'asap') return null
  const start = valueAt(dropoff, 'start') ?? valueAt(pickup, 'start')
  const end = valueAt(dropoff, 'end')
  if (start === undefined && end === undefined) return undefined
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
}

/** The code of an order's installation; `null` for one that is removed. */
function installationOf(order: Readonly<Record<string, unknown>>): string | null | undefined {
  const installation = isRecord(order.dropoff) ? order.dropoff.installation : undefined
  return installation === null ? null : valueAt(installation, 'code')
}

/** A text, or `null` for one that is removed. */
function valueAt(value: unknown, name: string): string | null | undefined {
  return isRecord(value) && value[name] === null ? null : textAt(value, name)
}
