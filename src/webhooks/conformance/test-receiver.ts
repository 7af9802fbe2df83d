import { randomBytes } from 'node:crypto'
import { parseSecret } from '../secret.js'
import type { CaseVerdict, ExaminationCase, Result } from './conformance-case.js'
import { oversized, plainEvent, reordering, repetition, schedule, unusualEvents } from './conversations.js'
import { type Examiner, examiner } from './exchange.js'
import { clocks, forgeries, rawBodies } from './forgeries.js'
import { type Rule, rules } from './rules.js'

export interface ExaminationOptions {
  url: string
  /** The receiver's own secret. */
  secret: string
  /**
   * Where the receiver tells what it holds: a GET of this address, `{deliveryId}` filled in, answers
   * `{"status": …, "processed": …}`.
   */
  stateUrl?: string
  /** Plays the service's retry schedule divided by this; not played unless given. */
  timeScale?: number
  /** How soon an answer must come; the contract's 10,000 unless given. */
  answerWithinMs?: number
  /** Cases at once. */
  concurrency?: number
  ca?: string
  now?: () => number
}

export interface ExaminedCase extends Result {
  id: string
  title: string
  rule: Rule
  durationMs: number
}

/** A rule that the receiver breaks, with what shows it. */
export interface Fault {
  rule: Rule
  title: string
  advice: string
  cases: string[]
  reason: string
}

export interface ExaminationReport {
  url: string
  /** No rule is seen to be broken. */
  passed: boolean
  /** Whether the receiver answered anything at all. */
  answered: boolean
  faults: Fault[]
  /** Rules that this receiver gives no way to see. */
  notObservable: Rule[]
  cases: ExaminedCase[]
}

/**
 * Puts a receiver through every situation that the contract promises it, and says for each whether it did what is
 * asked. Black box: what its answers do not show is reported as not observable, never as passed.
 *
 * @throws UsageError where the secret cannot be used, TypeError where the URL is none.
 */
export async function examineReceiver(options: ExaminationOptions): Promise<ExaminationReport> {
  parseSecret(options.secret)
  const answerWithinMs = options.answerWithinMs ?? 10_000
  const hands = examiner({
    url: new URL(options.url).href,
    secret: options.secret,
    run: randomBytes(4).toString('hex'),
    stateUrl: options.stateUrl,
    // Longer than the limit, so that a slow receiver is called slow and is still judged by what it answers.
    waitMs: answerWithinMs * 3,
    ca: options.ca,
    now: options.now ?? Date.now,
  })
  const examined: ExaminedCase[] = []
  const finish = (one: CaseHead, judgement: Result, durationMs: number) => {
    const { id, title, rule } = one
    const done = { id, title, rule, durationMs, ...judgement }
    examined.push(done)
    return done
  }
  const play = async (one: ExaminationCase) => {
    const startedAt = performance.now()
    const judgement = await one.play(hands)
    return finish(one, judgement, Math.round(performance.now() - startedAt))
  }
  const skip = (one: ExaminationCase, reason: string) => finish(one, { verdict: 'not_judged', reason }, 0)

  const first = await play(plainEvent)
  if (first.verdict !== 'passed') {
    for (const one of [...checks, ...dependents, ...others(options)]) skip(one, 'it does not take a plain event')
    if (first.verdict === 'not_judged') finish(inTime, judgeTime(hands, answerWithinMs), 0)
    return report(options.url, hands, examined)
  }
  await inParallel(checks, options.concurrency ?? 4, play)
  const isUnchecked = examined.some(({ id, verdict }) => id === 'wrong-secret' && verdict === 'failed')
  const rest = isUnchecked ? others(options) : [...dependents, ...others(options)]
  if (isUnchecked) for (const one of dependents) skip(one, 'without a signature check there is nothing to judge')
  await inParallel(rest, options.concurrency ?? 4, play)
  finish(inTime, judgeTime(hands, answerWithinMs), 0)
  return report(options.url, hands, examined)
}

const checks = forgeries
/** What a receiver that checks no signature cannot do right or wrong. */
const dependents = [...rawBodies, ...clocks]
const others = ({ timeScale }: Pick<ExaminationOptions, 'timeScale'>) => [
  ...unusualEvents,
  repetition,
  reordering,
  oversized,
  ...(timeScale === undefined ? [] : [schedule(timeScale)]),
]

const ruleOrder = Object.keys(rules)
const caseOrder = [...checks, ...dependents, ...others({ timeScale: 1 })].map(({ id }) => id)
/** Cases end in any order and are reported in one: by rule, then as they are listed. */
const placeOf = ({ id, rule }: CaseHead) => ruleOrder.indexOf(rule) * 1000 + caseOrder.indexOf(id)

/** Judged at the end, over all the answers. */
const inTime: CaseHead = { id: 'in-time', rule: 'in_time', title: 'every answer to a good event' }

type CaseHead = Pick<ExaminationCase, 'id' | 'rule' | 'title'>

function judgeTime({ exchanges }: Examiner, answerWithinMs: number): Result {
  const unanswered = exchanges.find((exchange) => exchange.timedOut)
  if (unanswered !== undefined) return { verdict: 'failed', reason: unanswered.said }
  const slowest = Math.max(0, ...exchanges.filter(({ accepted }) => accepted).map(({ durationMs }) => durationMs))
  const reason = `the slowest answer took ${slowest} ms of ${answerWithinMs}`
  return { verdict: slowest > answerWithinMs ? 'failed' : 'passed', reason }
}

async function inParallel(
  cases: readonly ExaminationCase[],
  concurrency: number,
  play: (one: ExaminationCase) => Promise<unknown>,
) {
  const waiting = [...cases]
  const worker = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await play(one)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

function report(url: string, { exchanges }: Examiner, examined: ExaminedCase[]): ExaminationReport {
  const cases = examined.toSorted((a, b) => placeOf(a) - placeOf(b))
  const ofVerdict = (verdict: CaseVerdict) => cases.filter((one) => one.verdict === verdict)
  const failed = ofVerdict('failed')
  const faults = [...new Set(failed.map(({ rule }) => rule))].map((rule): Fault => {
    const shown = failed.filter((one) => one.rule === rule)
    return {
      rule,
      ...rules[rule],
      cases: shown.map(({ id }) => id),
      reason: shown.map(({ reason }) => reason)[0] ?? '',
    }
  })
  const notObservable = [...new Set(ofVerdict('not_observable').map(({ rule }) => rule))]
  const answered = exchanges.some(({ status }) => status !== undefined)
  return { url, passed: faults.length === 0, answered, faults, notObservable, cases }
}
