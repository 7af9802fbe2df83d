import type { SearchText } from '../../../shared/texts.js'
import { isActive, isProblemStatus } from '../../../trade/statuses.js'

/** The parts that `--with` can add to a list, from the deliveries themselves, their events, or the orders that were sent from here. */
export const addable = ['reason', 'store', 'driver', 'eta', 'sent'] as const
export type Addable = (typeof addable)[number]

export const sortKeys = ['created', 'updated', 'status', 'reference', 'store'] as const
export type SortKey = (typeof sortKeys)[number]

/** The deliveries that the flags ask for. */
export interface Listing {
  /** Statuses, of which a delivery has one or belongs to a group. */
  statuses: readonly string[]
  active: boolean
  problem: boolean
  store: string | undefined
  installation: string | undefined
  search: SearchText | undefined
  parts: readonly Addable[]
  sort: { key: SortKey; isReversed: boolean } | undefined
}

/** Whether a status belongs to what is asked for; `judge` if that depends on more: `--problem` includes stuck and late. */
export function statusFits({ statuses, active, problem }: Listing, status: string): boolean | 'judge' {
  if (statuses.length === 0 && !active && !problem) return true
  if (statuses.includes(status)) return true
  if (active && isActive(status)) return true
  if (problem && isProblemStatus(status)) return 'judge'
  return problem && (isActive(status) || status === 'cancelled') ? 'judge' : false
}

/** Whether a list needs data that an item of the service's list does not have. */
export function needsDetails(listing: Listing, columns: readonly string[]): boolean {
  const { store, installation, search, parts, sort, problem } = listing
  const isFiltered = [store, installation, search].some((filter) => filter !== undefined)
  return isFiltered || problem || sort?.key === 'store' || parts.length > 0 || columns.length > 0
}
