import { type StatusReasonGroup, statusReasonGroups } from '../contract/index.js'
import type { CountedDelivery } from './groups.js'

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

/** Counts why deliveries failed, were cancelled or expired, and how far they came. */
export class ReasonTally {
  readonly #reasons = new Map<string | null, number>()
  readonly #furthest = new Map<string, FurthestCount>()

  add({ outcome, furthest: status, endReason }: CountedDelivery): void {
    if (status === undefined) return
    const reason = endReason ?? null
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1)
    const known = this.#furthest.get(`${outcome} ${status}`)
    if (known === undefined) this.#furthest.set(`${outcome} ${status}`, { outcome, status, count: 1 })
    else known.count++
  }

  /** The most frequent reason first. */
  reasons(): ReasonCount[] {
    return byCount([...this.#reasons].map(([code, count]) => ({ code, group: groupOf.get(code ?? '') ?? null, count })))
  }

  /** The most frequent first. */
  furthest(): FurthestCount[] {
    return byCount([...this.#furthest.values()])
  }
}

function byCount<Row extends { count: number }>(rows: Row[]): Row[] {
  return rows.sort((one, other) => other.count - one.count)
}
