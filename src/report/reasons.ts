import { type StatusReasonGroup, statusReasonGroups } from '../contract/index.js'
import type { DeliveryHistory } from './delivery-history.js'

/**
 * Number of deliveries that ended with a `statusReasonCode`; the group is `null` for a code that the contract does not
 * have.
 */
export interface ReasonCount {
  code: string | null
  group: StatusReasonGroup | null
  count: number
}

/** The last statuses reached by deliveries that did not end well. */
export interface FurthestCount {
  /** `failed`, `cancelled` or `expired`. */
  outcome: string
  /** The furthest milestone that was reached. */
  status: string
  count: number
}

const groupOf = new Map(
  (Object.entries(statusReasonGroups) as [StatusReasonGroup, readonly string[]][]).flatMap(([group, codes]) =>
    codes.map((code): [string, StatusReasonGroup] => [code, group]),
  ),
)

/** Why deliveries failed, were cancelled or expired: the most frequent reason first. */
export function reasonsOf(histories: readonly DeliveryHistory[]): ReasonCount[] {
  const counts = new Map<string | null, number>()
  for (const { furthest, endReason = null } of histories)
    if (furthest !== undefined) counts.set(endReason, (counts.get(endReason) ?? 0) + 1)
  return byCount([...counts].map(([code, count]) => ({ code, group: groupOf.get(code ?? '') ?? null, count })))
}

/** Counts the last statuses that deliveries reached before they failed, were cancelled or expired. */
export function furthestOf(histories: readonly DeliveryHistory[]): FurthestCount[] {
  const counts = new Map<string, FurthestCount>()
  for (const { outcome, furthest: status } of histories) {
    if (status === undefined) continue
    const known = counts.get(`${outcome} ${status}`)
    if (known === undefined) counts.set(`${outcome} ${status}`, { outcome, status, count: 1 })
    else known.count++
  }
  return byCount([...counts.values()])
}

function byCount<Row extends { count: number }>(rows: Row[]): Row[] {
  return rows.sort((one, other) => other.count - one.count)
}
