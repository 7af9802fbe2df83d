import { withHint } from '../../contract/index.js'
import { spacedSpan } from '../../shared/spans.js'

/** Details about the retries, added to the failure. */
interface RetrySummary {
  attempts: number
  spentMs: number
  /** The wait that was asked for and not granted, in milliseconds, with the time now. */
  refusedWaitMs?: number | undefined
  nowMs: number
}

/** The last failure with a hint that says how often it was tried, and when to come back if the service said so. */
export function withRetrySummary(failure: unknown, facts: RetrySummary): unknown {
  const sentences = [
    ...(facts.refusedWaitMs === undefined ? [] : [comeBack(facts.refusedWaitMs, facts.nowMs)]),
    ...(facts.attempts > 1 ? [`Tried ${facts.attempts} times in ${spacedSpan(facts.spentMs)}.`] : []),
  ]
  return sentences.length === 0 ? failure : withHint(failure, sentences.join(' '))
}

function comeBack(waitMs: number, nowMs: number): string {
  const at = new Date(nowMs + waitMs).toISOString().replace(/\.\d+Z$/, 'Z')
  return `The service asks to wait ${spacedSpan(waitMs)}: try again at ${at}, or allow more time.`
}
