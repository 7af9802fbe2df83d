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

/**
 * A missing response breaks the rule on time, not the rule that the case tests; what a platform refuses before the receiver,
 * none.
 */
export function judgeAccepted({ accepted, status, summary, timedOut, mistake, platform }: ProbeResponse): Result {
  if (accepted) return { status: 'passed', reason: `it ${summary}` }
  if (timedOut) return { status: 'skipped', reason: summary }
  if (platform !== undefined) return { status: 'skipped', reason: refusedBy(platform, summary) }
  const expected = status === undefined ? summary : `it ${summary}; expected a 2xx`
  return { status: 'failed', reason: mistake === undefined ? expected : `${expected}. ${mistake}` }
}

export function judgeRejected({ accepted, status, summary, platform }: ProbeResponse): Result {
  if (accepted) return { status: 'failed', reason: `it ${summary}; expected it to be rejected` }
  if (platform !== undefined) return { status: 'skipped', reason: refusedBy(platform, summary) }
  return { status: 'passed', reason: status === undefined ? summary : `it ${summary}` }
}

const refusedBy = (platform: string, summary: string) =>
  `the limit of ${platform} refuses a body of this size before the receiver sees it: ${summary}`
