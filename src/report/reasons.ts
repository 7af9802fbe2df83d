import { milestones, type StatusReasonGroup, statusReasonGroups } from '../contract/index.js'
import { type DeliveryHistory, unhappyEnd } from './delivery-history.js'

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
  for (const history of histories) {
    const end = unhappyEnd(history)
    if (end !== undefined) increase(counts, end.statusReasonCode ?? null)
  }
  return byCount([...counts].map(([code, count]) => ({ code, group: groupOf.get(code ?? '') ?? null, count })))
}

/** Counts the last statuses that deliveries reached before they failed, were cancelled or expired. */
export function furthestOf(histories: readonly DeliveryHistory[]): FurthestCount[] {
  const counts = new Map<string, FurthestCount>()
  for (const history of histories) {
    const end = unhappyEnd(history)
    if (end === undefined) continue
    const outcome = end.status === 'cancelled' || end.status === 'expired' ? end.status : 'failed'
    const status = milestones.findLast((milestone) => history.steps.some((step) => step.status === milestone)) ?? 'none'
    const known = counts.get(`${outcome} ${status}`)
    if (known === undefined) counts.set(`${outcome} ${status}`, { outcome, status, count: 1 })
    else known.count++
  }
  return byCount([...counts.values()])
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function byCount<Row extends { count: number }>(rows: Row[]): Row[] {
  return rows.sort((one, other) => other.count - one.count)
}
