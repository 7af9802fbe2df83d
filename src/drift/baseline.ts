import { UsageError } from '../contract/index.js'
import { isRecord, tryParseJson } from '../shared/json.js'
import { type Finding, findingKinds, keyOf } from './finding.js'

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
