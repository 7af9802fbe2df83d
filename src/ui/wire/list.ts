import type { PromiseSource } from '../../trade/promise.js'
import type { MissingAccount } from './session.js'

/** The columns by which the list of deliveries sorts, as they are in the address. */
export const sortColumns = [
  'created_at',
  'client_order_reference',
  'status',
  'status_since',
  'store_reference',
  'postal_code',
  'promised_by',
  'newest_eta',
  'ended_at',
  'total_price_cents',
] as const
export type SortColumn = (typeof sortColumns)[number]

/** A delivery of the list. Times are RFC 3339, amounts cents. */
export interface ListRow {
  /** The profile of its account, if the page shows several. */
  account?: string
  deliveryId: string
  reference: string
  status: string
  reason?: string | undefined
  since?: string | undefined
  store?: string | undefined
  postalCode?: string | undefined
  installation?: string | undefined
  createdAt?: string | undefined
  promise?: { by: string; source: PromiseSource } | undefined
  eta?: string | undefined
  endedAt?: string | undefined
  totalCents?: number | undefined
  currency?: string | undefined
}

export interface ListPage {
  rows: ListRow[]
  /** The place to continue after; `null` at the end. */
  next: string | null
  /** Number of deliveries that match; `null` on later pages. */
  total: number | null
  /** The time up to which the archive is read. */
  asOf: string | null
  /** Those of several accounts of which nothing new could be read, with the reason. */
  missing?: MissingAccount[]
}

/** The cost of cancelling several deliveries now. */
export interface CancellationCost {
  /** Those that are still under way. */
  deliveryIds: string[]
  /** Their fees together, in cents. */
  feeCents: number
  currency: string | null
  /** Number of those whose fee only the service knows. */
  withoutFee: number
}

/** Whether a text has every word of a search, in any order and case. */
export function hasWords(text: string, search: string): boolean {
  const searched = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}
