import { randomBytes } from 'node:crypto'
import { shownUrl } from '../../shared/web-address.js'
import { parseSecret } from '../secret.js'
import { oversized, plainEvent, reordering, repetition, schedule, unusualEvents } from './event-cases.js'
import { clocks, forgeries, rawBodies } from './forgery-cases.js'
import { alive, createLife } from './life.js'
import { createProbe, type Probe } from './probe.js'
import { type CaseStatus, type ConformanceCase, type Result, type Rule, rules } from './rules.js'

/** Which receiver is tested, and how. */
export interface ConformanceOptions {
  /** The address of the receiver. */
  url: string
  /** The receiver's own secret. */
  secret: string
  /** Takes a secret with a key that can be guessed, such as one of fewer than 16 bytes. */
  allowWeakSecret?: boolean | undefined
  /**
   * A URL that returns what the receiver holds of a delivery: a GET, with `{deliveryId}` replaced, returns
   * `{"status": …, "processed": …}`.
   */
  stateUrl?: string
  /** Plays the service's retry schedule, accelerated by this factor. Default: not played. */
  timeScale?: number
  /** Maximum response time. Default: the contract's 10,000. */
  responseTimeoutMs?: number
  /** Cases at once. */
  concurrency?: number
  /** Certificates to trust besides the system's own. */
  ca?: string
  /** The time in milliseconds since the epoch. Default: this machine's clock. */
  now?: () => number
  /** Called with each case when it ends. */
  onCase?: (result: CaseResult) => void
}

/** A case that was played, and what was seen. */
export interface CaseResult extends Result {
  /** The name of the case. */
  id: string
  /** The case in one sentence. */
  title: string
  /** The rule that it is about. */
  rule: Rule
  /** Duration in milliseconds. */
  durationMs: number
}

/** A rule that the receiver breaks, with the cases that show it. */
export interface BrokenRule {
  /** The name of the rule. */
  rule: Rule
  /** The rule in one sentence. */
  title: string
  /** How to fix the receiver. */
  advice: string
  /** The ids of the cases that failed. */
  cases: string[]
  /** The observation in the first of them. */
  reason: string
}

/** The result of every case. */
export interface ConformanceReport {
  /** The address of the receiver, without user, password and query. */
  url: string
  /** No rule is seen to be broken. */
  passed: boolean
  /** Whether the receiver responded at all. */
  responded: boolean
  /** The rules that it breaks. */
  brokenRules: BrokenRule[]
  /** Rules that this receiver gives no way to see. */
  notObservable: Rule[]
  /** Every case, in the order in which they ended. */
  cases: CaseResult[]
}

/**
 * Puts a receiver through every situation that the contract describes, and reports for each whether it did what is asked.
 * A black box: what its responses do not show is reported as not observable, never as passed.
 *
 * @throws UsageError if the secret is invalid, TypeError if the URL is
 */
export async function testReceiver(options: ConformanceOptions): Promise<ConformanceReport> {
  const known = parseSecret(options.secret, { allowWeak: options.allowWeakSecret })
  const timeoutMs = options.responseTimeoutMs ?? 10_000
  const probe = createProbe({
    url: new URL(options.url).href,
    secret: options.secret,
    key: known,
    run: randomBytes(4).toString('hex'),
    stateUrl: options.stateUrl,
    // Longer than the limit, so that a slow receiver is called slow and is still judged by its responses.
    timeoutMs: timeoutMs * 3,
    ca: options.ca,
    now: options.now ?? Date.now,
  })
  const results: CaseResult[] = []
  const finish = ({ id, title, rule }: CaseHead, result: Result, durationMs: number) => {
    const finished = { id, title, rule, durationMs, ...result }
    results.push(finished)
    options.onCase?.(finished)
    return finished
  }
  const life = createLife(probe)
  const timed = async (one: ConformanceCase, playing: (one: ConformanceCase) => Promise<Result>) => {
    const startedAt = performance.now()
    const result = await playing(one)
    return finish(one, result, Math.round(performance.now() - startedAt))
  }
  const play = (one: ConformanceCase) => timed(one, life.play)

  const first = await timed(plainEvent, (one) => one.play(probe))
  const last = lastCases(options)
  if (first.status === 'passed') {
    await inParallel(cases, options.concurrency ?? 4, play)
    finish(alive, life.judge(), 0)
    for (const one of last) await play(one)
  } else {
    const skipped: Result = { status: 'skipped', reason: 'it does not accept a plain event' }
    for (const one of [...cases, ...last]) finish(one, skipped, 0)
  }
  if (first.status !== 'failed') finish(inTime, judgeTime(probe, timeoutMs), 0)
  return reportOf(shownUrl(options.url), probe, results)
}

const cases: readonly ConformanceCase[] = [
  ...forgeries,
  ...rawBodies,
  ...clocks,
  ...unusualEvents,
  repetition,
  reordering,
]

/** Played alone: a receiver that ends of the first of them ends of nothing else. */
const lastCases = ({ timeScale }: Pick<ConformanceOptions, 'timeScale'>): ConformanceCase[] => [
  oversized,
  ...(timeScale === undefined ? [] : [schedule(timeScale)]),
]

const ruleOrder = Object.keys(rules)
const caseOrder = [...cases, ...lastCases({ timeScale: 1 })].map(({ id }) => id)
/** Cases end in any order and are reported in one: by rule, then as they are listed. */
const placeOf = ({ id, rule }: CaseHead) => ruleOrder.indexOf(rule) * 1000 + caseOrder.indexOf(id)

/** Judged at the end, over all responses. */
const inTime: CaseHead = { id: 'in-time', rule: 'in_time', title: 'every response to a valid event' }

type CaseHead = Pick<ConformanceCase, 'id' | 'rule' | 'title'>

function judgeTime({ responses }: Probe, timeoutMs: number): Result {
  const missing = responses.find(({ timedOut }) => timedOut)
  if (missing !== undefined) return { status: 'failed', reason: missing.summary }
  const slowest = Math.max(0, ...responses.filter(({ accepted }) => accepted).map(({ durationMs }) => durationMs))
  const reason = `the slowest response took ${slowest} ms of ${timeoutMs}`
  return { status: slowest > timeoutMs ? 'failed' : 'passed', reason }
}

async function inParallel(
  cases: readonly ConformanceCase[],
  concurrency: number,
  play: (one: ConformanceCase) => Promise<unknown>,
) {
  const waiting = [...cases]
  const worker = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await play(one)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

function reportOf(url: string, { responses }: Probe, results: CaseResult[]): ConformanceReport {
  const cases = results.toSorted((a, b) => placeOf(a) - placeOf(b))
  const withStatus = (status: CaseStatus) => cases.filter((one) => one.status === status)
  const failed = withStatus('failed')
  const brokenRules = [...new Set(failed.map(({ rule }) => rule))].map((rule): BrokenRule => {
    const shown = failed.filter((one) => one.rule === rule)
    return {
      rule,
      ...rules[rule],
      cases: shown.map(({ id }) => id),
      reason: shown.map(({ reason }) => reason)[0] ?? '',
    }
  })
  const notObservable = [...new Set(withStatus('not_observable').map(({ rule }) => rule))]
  const responded = responses.some(({ status }) => status !== undefined)
  return { url, passed: brokenRules.length === 0, responded, brokenRules, notObservable, cases }
}
