/** What a service, or a webhook, does beyond or against the contract. */
export const findingKinds = [
  'newProperty',
  'unknownEnum',
  'missingRequired',
  'wrongType',
  'undocumentedStatus',
  'undocumentedHeader',
] as const
export type FindingKind = (typeof findingKinds)[number]

/** One difference from the contract, however often it was seen. */
export interface Finding {
  kind: FindingKind
  /** An operation such as `getDelivery`, or `webhook` for the body of an event. */
  operation: string
  /** Where it is: `dropoff.floor`, `deliveries[].status`, a header's name, or the status itself. */
  path: string
  /** The first one seen: the value at that place, or for a missing field the object that lacks it. */
  example: unknown
  count: number
}

/** Adds up findings: the same difference at the same place is one. Unknown values of one field are told apart. */
export class Findings {
  readonly #found = new Map<string, Finding>()
  #checked = 0

  /** Counts one response or event, with what was found in it. */
  add(findings: readonly Omit<Finding, 'count'>[]): void {
    this.#checked++
    for (const finding of findings) {
      const key = keyOf(finding)
      const known = this.#found.get(key)
      if (known === undefined) this.#found.set(key, { ...finding, count: 1 })
      else known.count++
    }
  }

  /** How many responses and events were compared. */
  get checked(): number {
    return this.#checked
  }

  /** The most frequent first. */
  list(): Finding[] {
    return [...this.#found.values()].sort(
      (one, other) => other.count - one.count || (keyOf(one) < keyOf(other) ? -1 : 1),
    )
  }
}

/** What makes two findings the same one. */
export function keyOf({ kind, operation, path, example }: Omit<Finding, 'count'>): string {
  return [kind, operation, path, ...(kind === 'unknownEnum' ? [String(example)] : [])].join(' ')
}
