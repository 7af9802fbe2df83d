import { isRecord, textAt } from '../shared/json.js'
import { requestedWindow } from './promise.js'

/** The facts of an order that dlv sent or changed. Times in RFC 3339; absent or `null` if there is none. */
export interface SentOrder {
  sentAt?: string | undefined
  idempotencyKey?: string | undefined
  /** The file that it is from. */
  file?: string | undefined
  quoteId?: string | null | undefined
  windowStart?: string | null | undefined
  windowEnd?: string | null | undefined
  installation?: string | null | undefined
  package?: unknown
  verification?: unknown
}

/** What only this machine knows of a delivery: the service returns neither its window nor its package. */
export interface SentFacts {
  /** When it was sent; `null` for an order of another machine that was changed from here. */
  sentAt: string | null
  /** The file that it is from. */
  file: string | null
  window: { start: string | null; end: string | null } | null
  installation: string | null
  package: Readonly<Record<string, unknown>> | null
  verification: Readonly<Record<string, unknown>> | null
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

/** The checks that an order asked for at the dropoff; `undefined` if that is not known. */
export function checksOf(sent: SentFacts | null): Readonly<Record<string, unknown>> | undefined {
  const checks = sent?.verification?.dropoff
  return isRecord(checks) ? checks : undefined
}

/** A package in one line: `14 items · 7.2 kg · perishable cold chain`. */
export function packageText(cargo: Readonly<Record<string, unknown>> | null): string {
  const { description, itemsCount, weightGrams, contains } = cargo ?? {}
  const parts = [
    typeof description === 'string' ? description : undefined,
    typeof itemsCount === 'number' ? `${itemsCount} ${itemsCount === 1 ? 'item' : 'items'}` : undefined,
    typeof weightGrams === 'number' ? `${(weightGrams / 1_000).toFixed(1)} kg` : undefined,
    Array.isArray(contains) && contains.length > 0 ? contains.map(String).join(', ').replaceAll('_', ' ') : undefined,
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

/**
 * A line of the record of sent orders: what a quote promised, which order was created with it, an order as it was sent, or
 * what an update made of it, where `null` is a value that was removed.
 */
export type SentLine = { profile: string } & (
  | { quoteId: string; dropoffEta: string }
  | { quoteId: string; clientOrderReference: string }
  | { clientOrderReference: string; sent: SentOrder }
  | { clientOrderReference: string; installation: string | null }
  | { clientOrderReference: string; moved: { start?: string | null; end?: string | null } | null }
)

/** Orders as their lines tell them, in the order of the lines. */
export class SentOrders {
  /** By their references. */
  readonly orders = new Map<string, SentOrder>()
  /** The promised arrival of quotes. */
  readonly etas = new Map<string, string>()

  /** @param known an order as earlier lines have told it */
  constructor(private readonly known: (reference: string) => SentOrder | undefined = () => undefined) {}

  /** Adds a line; one that is not understood does nothing. */
  add(line: unknown): void {
    if (!isRecord(line)) return
    const { clientOrderReference: reference, quoteId, sent, moved, installation } = line
    const eta = textAt(line, 'dropoffEta')
    if (typeof quoteId === 'string' && eta !== undefined) this.etas.set(quoteId, eta)
    if (typeof reference !== 'string') return
    const order = this.orders.get(reference) ?? { ...this.known(reference) }
    this.orders.set(reference, order)
    if (isRecord(sent)) Object.assign(order, sent)
    if (typeof quoteId === 'string') order.quoteId = quoteId
    if ('installation' in line) order.installation = typeof installation === 'string' ? installation : null
    if (!('moved' in line)) return
    // The time of the quote was for the window before.
    order.quoteId = null
    const { start, end } = isRecord(moved) ? moved : { start: null, end: null }
    if (start !== undefined) order.windowStart = typeof start === 'string' ? start : null
    if (end !== undefined) order.windowEnd = typeof end === 'string' ? end : null
  }
}

/** The facts of an order's body that are recorded. Text that may name a person or a thing is not among them. */
export function sentOrderOf(order: Readonly<Record<string, unknown>>): SentOrder {
  const { quoteId, timeWindows, package: cargo, verification } = order
  const window = requestedWindow(timeWindows)
  const installation = isRecord(order.dropoff) ? textAt(order.dropoff.installation, 'code') : undefined
  const { description: _, items: __, ...measures } = isRecord(cargo) ? cargo : {}
  return {
    quoteId: typeof quoteId === 'string' ? quoteId : undefined,
    windowStart: window?.start,
    windowEnd: window?.end,
    installation,
    package: Object.keys(measures).length === 0 ? undefined : measures,
    verification: isRecord(verification) ? verification : undefined,
  }
}
