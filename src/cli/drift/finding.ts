import { UsageError } from '../../contract/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { junitXml } from '../../shared/junit.js'

/** The kinds of difference between a service, or a webhook, and the contract. */
const findingKinds = [
  'newProperty',
  'unknownEnum',
  'missingRequired',
  'wrongType',
  'undocumentedStatus',
  'undocumentedHeader',
] as const
type FindingKind = (typeof findingKinds)[number]

/** One difference from the contract, however often it was seen. */
export interface Finding {
  kind: FindingKind
  /** An operation such as `getDelivery`, or `webhook` for the body of an event. */
  operation: string
  /** The place of the finding: `dropoff.floor`, `deliveries[].status`, a header's name, or the status itself. */
  path: string
  /** The first one seen: the value at that place, or for a missing field the object that lacks it. */
  example: unknown
  count: number
}

/**
 * Collects findings: equal differences at the same place are counted as one, except unknown values, which are distinct.
 */
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

  /** Number of responses and events that were compared. */
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

/** The identity of a finding: two findings with the same key are one. */
export function keyOf({ kind, operation, path, example }: Omit<Finding, 'count'>): string {
  return [kind, operation, path, ...(kind === 'unknownEnum' ? [String(example)] : [])].join(' ')
}

/**
 * Reads a baseline: the findings that are known and accepted.
 *
 * @throws UsageError if the text is none
 */
export function readBaseline(text: string, file: string): ReadonlySet<string> {
  const content = tryParseJson(text)?.value
  const known = isRecord(content) ? content.findings : undefined
  if (!Array.isArray(known) || !known.every(isFinding))
    throw new UsageError(`${file} is not a baseline of dlv drift.`, {
      hint: `Write one with dlv drift --baseline ${file} --update-baseline.`,
    })
  return new Set(known.map(keyOf))
}

/** A baseline of these findings, without their counts. */
export function baselineText(findings: readonly Finding[]): string {
  const known = findings
    .map(({ count: _, ...finding }) => finding)
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  return `${JSON.stringify({ findings: known }, null, 2)}\n`
}

function isFinding(value: unknown): value is Omit<Finding, 'count'> {
  if (!isRecord(value)) return false
  const { kind, operation, path } = value
  return typeof operation === 'string' && typeof path === 'string' && findingKinds.some((known) => known === kind)
}

/** Findings as JUnit XML: a failed test case for each, or one that passed if there is none. */
export function junitOf(checked: number, findings: readonly Finding[]): string {
  if (findings.length === 0)
    return junitXml('contract drift', [
      { classname: 'drift', name: `${checked} responses and events keep the contract` },
    ])
  const cases = findings.map(({ kind, operation, path, example, count }) => ({
    classname: operation,
    name: `${kind} ${path}`,
    failure: { message: `seen ${count} ${count === 1 ? 'time' : 'times'}`, text: JSON.stringify(example) ?? '' },
  }))
  return junitXml('contract drift', cases)
}
