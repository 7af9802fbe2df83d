import type { Probe, ProbeRequest, ProbeResponse } from './probe.js'
import type { Rule } from './rules.js'

/** The result of a case; `not_observable` if the receiver offers no way to see it. */
export type CaseStatus = 'passed' | 'failed' | 'not_observable' | 'skipped'

export interface Result {
  /** The result of the case. */
  status: CaseStatus
  /** The observation, in one sentence. */
  reason: string
}

/** One situation that a receiver is put into. */
export interface ConformanceCase {
  id: string
  title: string
  rule: Rule
  play(probe: Probe): Promise<Result>
}

/** A case with one request that must be accepted. */
export function mustAccept(
  id: string,
  rule: Rule,
  title: string,
  make: (probe: Probe) => ProbeRequest,
): ConformanceCase {
  return { id, rule, title, play: async (probe) => judgeAccepted(await probe.send(make(probe))) }
}

/** A case with one request that must be rejected. */
export function mustReject(
  id: string,
  rule: Rule,
  title: string,
  make: (probe: Probe) => ProbeRequest,
): ConformanceCase {
  return { id, rule, title, play: async (probe) => judgeRejected(await probe.send(make(probe))) }
}

/** A missing response breaks the rule on time, not the rule that the case tests. */
export function judgeAccepted({ accepted, status, summary, timedOut }: ProbeResponse): Result {
  if (accepted) return { status: 'passed', reason: `it ${summary}` }
  if (timedOut) return { status: 'skipped', reason: summary }
  return { status: 'failed', reason: status === undefined ? summary : `it ${summary}; expected a 2xx` }
}

export function judgeRejected({ accepted, status, summary }: ProbeResponse): Result {
  if (accepted) return { status: 'failed', reason: `it ${summary}; expected it to be rejected` }
  return { status: 'passed', reason: status === undefined ? summary : `it ${summary}` }
}
