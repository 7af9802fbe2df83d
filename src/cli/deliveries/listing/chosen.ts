import type { Delivery, DeliveryListItem } from '../../../contract/index.js'
import type { AccessOrder } from '../../../trade/obstacles.js'
import { type AffectingChange, touchedBy } from '../../../trade/policy-changes.js'
import { columnOf, type Problem, type Standing } from '../../../trade/problems.js'
import type { SentFacts } from '../../../trade/sent-facts.js'
import { isExpected } from '../../../trade/statuses.js'
import type { Judging } from '../problem-rules.js'
import type { Listing } from './filters.js'

/** A delivery of a list, with the parts that were asked for. */
export interface ListedDelivery extends DeliveryListItem {
  statusReasonCode?: Delivery['statusReasonCode']
  statusReason?: Delivery['statusReason']
  pickup?: Delivery['pickup']
  driver?: Delivery['driver']
  /** From the newest `delivery.eta_updated`; `null` if there is none or the delivery has ended. */
  eta?: Eta
  /** The facts sent from this machine with its order; `null` for one of another. */
  sent?: SentFacts | null
  /** With `--problem`: what is wrong, in words. */
  problem?: string | null
  /** With `--affected`: what is in its way by the change, in words. */
  obstacle?: string
  /** With `--affected`: commands for what can be done. */
  next?: string[]
}

export type Eta = Readonly<Record<string, unknown>> | null

/** A delivery that belongs to the list, with the key to sort it by. */
export interface Chosen {
  row: ListedDelivery
  store: string | undefined
  /** With `--problem`: what makes one worse than another; `undefined` for what has none. */
  problem?: Severity | undefined
  /** The row with all that was asked for. */
  complete(): Promise<ListedDelivery>
}

/** What makes one problem worse than another. */
interface Severity {
  isPast: boolean
  isExpected: boolean
  lateMs: number
  sinceMs: number
}

/** How bad a delivery's problem is; `undefined` if it has none. */
export function severityOf(standing: Standing, found: Problem | undefined, nowMs: number): Severity | undefined {
  if (found === undefined) return undefined
  return {
    isPast: columnOf(standing, found, nowMs) === 'done',
    isExpected: isExpected(standing.status),
    lateMs: found.lateMs,
    sinceMs: standing.sinceMs ?? 0,
  }
}

/** What the rows of a list are chosen by and completed with, whichever source they come from. */
export interface Wanted {
  listing: Listing
  nowMs: number
  judging: Judging
  /** Fields of `--columns` that only a whole delivery has. */
  columns: readonly string[]
  installations: Installations
  sent: SentFactsOf
  change: AffectingChange | undefined
}

/** The facts sent with a delivery's order, if it was sent from here. */
export type SentFactsOf = (delivery: Pick<DeliveryListItem, 'clientOrderReference'>) => SentFacts | null

/** The obstacles that a change puts before an order, as a list shows them; `undefined` if it does not touch the order. */
export function affectedOf(
  change: AffectingChange,
  order: AccessOrder,
  nowMs: number,
): Required<Pick<ListedDelivery, 'obstacle' | 'next'>> | undefined {
  const touched = touchedBy(change, order, nowMs)
  if (touched === undefined) return undefined
  return {
    obstacle: touched.obstacles.map(({ text }) => text).join('; '),
    next: touched.remedies.map(({ command }) => `dlv ${command}`),
  }
}

export function partOf(part: 'reason' | 'store' | 'driver', delivery: Partial<Delivery>): Partial<ListedDelivery> {
  const { statusReasonCode, statusReason, pickup, driver } = delivery
  switch (part) {
    case 'reason':
      return { statusReasonCode: statusReasonCode ?? null, statusReason: statusReason ?? null }
    case 'store':
      return { pickup: pickup ?? null }
    default:
      return { driver: driver ?? null }
  }
}

/** The installations of deliveries, by the service or by the orders that were sent from here. */
export class Installations {
  private looked = 0
  private unknown = 0
  private isTold = false

  constructor(
    /** Codes by the order's reference. */
    private readonly sent: ReadonlyMap<string, string> = new Map(),
    /** Whether an order without a code was sent from here, so that it is known to have none. */
    private readonly wasSent: (reference: string) => boolean = () => false,
  ) {}

  /** The installation of a delivery, if it is known to be on one. */
  codeOf({ dropoff, clientOrderReference }: Pick<Delivery, 'dropoff' | 'clientOrderReference'>): string | undefined {
    this.looked++
    const told = dropoff?.installation?.code ?? undefined
    if (told !== undefined) this.isTold = true
    const reference = clientOrderReference ?? ''
    const code = told ?? this.sent.get(reference)
    if (code === undefined && !this.wasSent(reference)) this.unknown++
    return code
  }

  /** Why a list by installation may lack deliveries; `undefined` if it is not known to lack any. */
  get doubt(): string | undefined {
    if (this.isTold || this.unknown === 0) return undefined
    const [of, were] = this.looked === 1 ? ['the delivery', 'was'] : [`the ${this.looked} deliveries`, 'were']
    const others = this.unknown === this.looked ? `${of}` : `${this.unknown} of ${of}`
    return `The service names no installation in ${of} that ${were} read, so nobody can tell where ${others} went`
  }
}
