import type { Examiner, Exchange, Sending } from './exchange.js'
import type { Rule } from './rules.js'

export type CaseVerdict = 'passed' | 'failed' | 'not_observable' | 'not_judged'

export interface Result {
  verdict: CaseVerdict
  /** What was seen, in one sentence. */
  reason: string
}

/** One situation that a receiver is put into. */
export interface ExaminationCase {
  id: string
  title: string
  rule: Rule
  play(examiner: Examiner): Promise<Result>
}

/** A case with one request that must be taken. */
export function mustAccept(
  id: string,
  rule: Rule,
  title: string,
  make: (examiner: Examiner) => Sending,
): ExaminationCase {
  return { id, rule, title, play: async (examiner) => judgeAccepted(await examiner.send(make(examiner))) }
}

/** A case with one request that must not be taken. */
export function mustRefuse(
  id: string,
  rule: Rule,
  title: string,
  make: (examiner: Examiner) => Sending,
): ExaminationCase {
  return {
    id,
    rule,
    title,
    async play(examiner) {
      const exchange = await examiner.send(make(examiner))
      if (exchange.accepted) return { verdict: 'failed', reason: `it ${exchange.said}, and should have refused` }
      return { verdict: 'passed', reason: exchange.status === undefined ? exchange.said : `it ${exchange.said}` }
    },
  }
}

/** An answer that never came is the matter of the rule on time, not of the rule at hand. */
export function judgeAccepted(exchange: Exchange): Result {
  if (exchange.accepted) return { verdict: 'passed', reason: `it ${exchange.said}` }
  if (exchange.timedOut) return { verdict: 'not_judged', reason: exchange.said }
  if (exchange.status === undefined) return { verdict: 'failed', reason: exchange.said }
  return { verdict: 'failed', reason: `it ${exchange.said}, and should have answered 2xx` }
}
