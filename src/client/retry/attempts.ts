import { ConnectionError, type Drift, type OperationName, withHint } from '../../contract/index.js'
import { spacedSpan } from '../../shared/durations.js'
import type { Clock } from '../clock.js'
import { keyLifeMs } from '../idempotency-key.js'
import type { Permit } from '../pacing/pace.js'
import type { Pacer } from '../pacing/pacer.js'
import { longestPaceMs, policyText } from '../pacing/rate-limit-header.js'
import { type HttpTrace, httpTraceOf } from '../trace/http-trace.js'
import { withoutKey } from '../trace/redaction.js'
import type { CallSpan } from '../trace/telemetry.js'
import { connectionFailure } from '../transport/connection-failure.js'
import type { RequestToSend, Transport, TransportReply } from '../transport/transport.js'
import { type Deadline, interrupted, limitedSignal } from './deadline.js'
import {
  failureKind,
  isRateLimited,
  type RetryBudget,
  type RetryLimits,
  type RetrySafety,
  retryAfterOf,
  retryDelayMs,
} from './retry.js'

/** One request to be sent until it is answered: the same bytes each time. */
export interface PreparedRequest<Result> {
  operation: OperationName | undefined
  request: RequestToSend
  retrySafety: RetrySafety
  /** Makes sense of an answer, or throws what it means. `attempts`: how often the request was sent. */
  parseResponse(reply: TransportReply, attempts: number): Result
  /** Finds properties and values beyond the contract; called only for a trace. */
  drift?(result: Result, reply: TransportReply): readonly Drift[]
}

/** Settings that all attempts share. */
export interface AttemptSettings {
  transport: Transport
  /** Removed from responses other than successes. */
  apiKey: string | undefined
  clock: Clock
  random: () => number
  deadline: Deadline
  attemptTimeoutMs: number
  /** A single wait longer than this is not waited out, however much time is left. */
  maxWaitMs: number
  maxBytes: number
  /** End whatever is under way. */
  signals: readonly (AbortSignal | undefined)[]
  /** Ends waits and refuses further attempts, but lets the one in flight come to its end. */
  drain: AbortSignal | undefined
  retries: Partial<RetryLimits>
  pacer: Pacer | undefined
  budget: RetryBudget | undefined
  onTrace: ((trace: HttpTrace) => void) | undefined
  /** Called when an answer is lost to a request that the service may have executed. */
  onLostAnswer?: (() => void) | undefined
  /** Told of each attempt, and of each that will be repeated. */
  span?: CallSpan | undefined
}

/**
 * Sends a job until it is answered for good, its retries are used up, or the deadline leaves no time for another.
 *
 * @throws the last failure, its hint saying how often it was tried and when to come back
 */
export async function attemptUntilAnswered<Result>(
  prepared: PreparedRequest<Result>,
  settings: AttemptSettings,
): Promise<Result> {
  const { clock, deadline, span } = settings
  const course = new Course(clock)
  for (;;) {
    const permit = permitNow(settings) ?? (await admit(settings, course.endingWith(course.lastFailure)))
    refuseForgottenKey(prepared, course, permit)
    const attempt = course.failures + 1
    const sentMs = clock.monotonicMs()
    span?.attempted()
    const answer = await attemptOnce(prepared, settings, permit, attempt)
    const facts = { attempt, sentMs }
    if ('result' in answer) {
      const { reply, result } = answer
      if (settings.onTrace !== undefined)
        report(prepared, settings, reply, { ...facts, drift: prepared.drift?.(result, reply) })
      return result
    }
    const { reply, failure } = answer
    if (reply === undefined && abortedSignal(settings) !== undefined) {
      report(prepared, settings, reply, { ...facts, error: 'interrupted' })
      throw abortReason(settings, course.endingWith(course.lastFailure ?? interrupted()))
    }
    course.failed(failure)
    if (failureKind(failure) === 'maybe-executed') settings.onLostAnswer?.()
    const { delayMs, refusedWaitMs } = retryAfter(failure, prepared, settings, course, clock.monotonicMs() - sentMs)
    report(prepared, settings, reply, { ...facts, error: failure, retryInMs: delayMs })
    if (delayMs === undefined) throw course.endingWith(failure, refusedWaitMs)
    span?.retried(attempt, delayMs, failure)
    await clock.sleep(delayMs, stopOf(settings))
    // A busy machine wakes late.
    if (neededMs(failure, 0) > 2 * deadline.remainingMs() && !isInterrupted(settings)) throw course.endingWith(failure)
  }
}

/** How the attempts of a request went so far. */
class Course {
  failures = 0
  /** The failures that count against the retries that are allowed: a rate limit does not. */
  counted = 0
  lastFailure: unknown
  /** The last failure after which the service may have executed the request. */
  unsettled: unknown
  readonly #clock: Clock
  readonly #startedMs: number
  readonly #startedAtMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedMs = clock.monotonicMs()
    this.#startedAtMs = clock.nowMs()
  }

  failed(failure: unknown): void {
    this.failures++
    this.lastFailure = failure
    if (failureKind(failure) === 'maybe-executed') this.unsettled = failure
    if (!isRateLimited(failure)) this.counted++
  }

  /**
   * Whether the service may have forgotten the key since the first attempt: it would dispatch a second driver. The machine
   * may have slept for days, in which the monotonic clock stands still; a clock that was set back hides how long it was.
   */
  mayBeForgotten(): boolean {
    const monotonicMs = this.#clock.monotonicMs() - this.#startedMs
    const wallMs = this.#clock.nowMs() - this.#startedAtMs
    return Math.max(monotonicMs, wallMs) > keyLifeMs || wallMs < monotonicMs - plausibleMs
  }

  /**
   * A failure after which nothing more is tried, with what was tried.
   *
   * @param refusedWaitMs the wait that was asked for and not granted
   */
  endingWith(failure: unknown, refusedWaitMs?: number): unknown {
    if (failure === undefined) return undefined
    const spentMs = this.#clock.monotonicMs() - this.#startedMs
    return withRetrySummary(failure, { attempts: this.failures, spentMs, refusedWaitMs, nowMs: this.#clock.nowMs() })
  }
}

/** Two clocks of one machine differ by less, unless one of them was set. */
const plausibleMs = 60_000

/** Throws the failure that left a request open, if the service may have forgotten its key since. */
function refuseForgottenKey({ retrySafety }: PreparedRequest<unknown>, course: Course, permit: Permit | undefined) {
  if (course.unsettled === undefined || retrySafety !== 'idempotent' || !course.mayBeForgotten()) return
  permit?.settle()
  throw course.endingWith(course.unsettled)
}

/** When to try once more; without `delayMs` not at all, for want of what `refusedWaitMs` says. */
function retryAfter(
  failure: unknown,
  { retrySafety }: PreparedRequest<unknown>,
  settings: AttemptSettings,
  { failures, counted }: Course,
  tookMs: number,
): { delayMs?: number | undefined; refusedWaitMs?: number | undefined } {
  const { random, retries, deadline, maxWaitMs, budget } = settings
  const delayMs = retryDelayMs(failures, failure, { retrySafety, counted, random: random(), limits: retries })
  if (delayMs === undefined) return {}
  const leftMs = deadline.remainingMs() - neededMs(failure, tookMs)
  if (delayMs >= Math.min(leftMs, maxWaitMs)) return { refusedWaitMs: retryAfterOf(failure) }
  return (budget?.grantRetry(failure) ?? true) ? { delayMs } : {}
}

/**
 * The time that a further attempt needs to say more than the failure before. Cut short by the deadline it would be a
 * timeout, after which the service may have executed the request: a refused connection and a gateway's page are the
 * better answers.
 */
function neededMs(failure: unknown, tookMs: number): number {
  if (Object(failure).status) return Math.max(50, tookMs)
  const foundNobody = failure instanceof ConnectionError && failureKind(failure) === 'not-executed'
  return foundNobody ? Math.max(50, 2 * tookMs) : 0
}

/** Reports an attempt to whoever traces requests. */
function report(
  { request, operation }: PreparedRequest<unknown>,
  { onTrace, clock, apiKey }: AttemptSettings,
  reply: TransportReply | undefined,
  {
    attempt,
    sentMs,
    retryInMs,
    error,
    drift = [],
  }: {
    attempt: number
    sentMs: number
    retryInMs?: number | undefined
    error?: unknown
    drift?: readonly Drift[] | undefined
  },
): void {
  onTrace?.(
    httpTraceOf(request, reply, {
      operation,
      attempt,
      durationMs: clock.monotonicMs() - sentMs,
      retryInMs,
      drift,
      apiKey,
      ...(error === undefined ? {} : { error: error instanceof Error ? error.message : String(error) }),
    }),
  )
}

/** The right to send, if there is nothing to wait for. */
function permitNow(settings: AttemptSettings): Permit | undefined {
  return isInterrupted(settings) ? undefined : settings.pacer?.tryAcquire?.()
}

/** Waits for the right to send; fails if the wait would outlast the time allowed. */
async function admit(settings: AttemptSettings, lastFailure: unknown): Promise<Permit | undefined> {
  throwIfInterrupted(settings, lastFailure)
  if (settings.pacer === undefined) return undefined
  const limitMs = Math.min(settings.deadline.remainingMs(), settings.maxWaitMs)
  const permit = await settings.pacer.acquire(limitMs, stopOf(settings))
  if (isInterrupted(settings)) permit?.settle()
  throwIfInterrupted(settings, lastFailure)
  if (permit !== undefined) return permit
  const waitMs = settings.pacer.heldForMs()
  const limit = settings.pacer.limitedBy?.()
  const what =
    waitMs <= 0
      ? `At the client's own pace the next request would wait longer than ${spacedSpan(limitMs)}`
      : limit === undefined || limit.windowMs <= longestPaceMs
        ? `The service asked for a wait of ${spacedSpan(waitMs)} before the next request`
        : `The quota ${limit.name ?? ''} of ${policyText(limit)} is used up for ${spacedSpan(waitMs)}`
  const held = new ConnectionError(what.replace('  ', ' '), {
    reason: 'held',
    retryAfterMs: waitMs,
  })
  throw withRetrySummary(lastFailure ?? held, {
    attempts: 0,
    spentMs: 0,
    refusedWaitMs: waitMs,
    nowMs: settings.clock.nowMs(),
  })
}

type Answer<Result> =
  | { reply: TransportReply; result: Result }
  | { reply: TransportReply | undefined; failure: unknown }

async function attemptOnce<Result>(
  prepared: PreparedRequest<Result>,
  settings: AttemptSettings,
  permit: Permit | undefined,
  attempt: number,
): Promise<Answer<Result>> {
  // A write without a key is not repeated but looked at, and that takes time as well.
  const share = prepared.retrySafety === 'unsafe' ? 0.7 : 1
  const limitMs = Math.min(settings.attemptTimeoutMs, settings.deadline.remainingMs() * share)
  const { signal, release } = limitedSignal(settings.signals, Math.max(1, Math.ceil(limitMs)))
  let reply: TransportReply | undefined
  try {
    signal.throwIfAborted()
    reply = await settings.transport.send({ ...prepared.request, signal, maxBytes: settings.maxBytes })
    // What is no success may say what was sent.
    if (reply.status >= 300) reply = withoutKey(reply, settings.apiKey)
    const result = parsed(prepared, reply, attempt, settings.apiKey)
    permit?.settle(reply)
    return { reply, result }
  } catch (error) {
    const failure = reply === undefined ? connectionFailure(error, prepared.request.url) : error
    permit?.settle(reply === undefined ? undefined : { ...reply, retryAfterMs: retryAfterOf(failure) })
    return { reply, failure }
  } finally {
    release()
  }
}

/** Parses a response, or throws an error that does not contain the account's key. */
function parsed<Result>(
  prepared: PreparedRequest<Result>,
  reply: TransportReply,
  attempt: number,
  apiKey: string | undefined,
): Result {
  try {
    return prepared.parseResponse(reply, attempt)
  } catch (error) {
    if (reply.status >= 300) throw error
    return prepared.parseResponse(withoutKey(reply, apiKey), attempt)
  }
}

function isInterrupted(settings: AttemptSettings): boolean {
  return settings.drain?.aborted === true || abortedSignal(settings) !== undefined
}

function abortedSignal({ signals }: AttemptSettings): AbortSignal | undefined {
  for (let at = 0; at < signals.length; at++) if (signals[at]?.aborted) return signals[at]
  return undefined
}

/**
 * The caller's own reason if it gave up. A run that drains gets what went wrong before: that says more than the
 * interruption, since the request may have been executed.
 */
function throwIfInterrupted(settings: AttemptSettings, lastFailure: unknown): void {
  if (abortedSignal(settings) !== undefined) throw abortReason(settings, lastFailure)
  if (isInterrupted(settings)) throw lastFailure ?? interrupted()
}

/** The caller's abort reason, unchanged; an error without a cause gets the attempts so far as its cause. */
function abortReason(settings: AttemptSettings, lastFailure: unknown): unknown {
  const reason: unknown = abortedSignal(settings)?.reason
  if (lastFailure !== undefined && reason instanceof Error && reason.cause === undefined && Object.isExtensible(reason))
    Object.defineProperty(reason, 'cause', { value: lastFailure, configurable: true, writable: true })
  return reason
}

function stopOf({ signals, drain }: AttemptSettings): AbortSignal | undefined {
  const others = signals.filter((signal) => signal !== undefined)
  if (others.length === 0) return drain
  const given = drain === undefined ? others : [...others, drain]
  return given.length > 1 ? AbortSignal.any(given) : given[0]
}

/** Details about the retries, added to the failure. */
interface RetrySummary {
  attempts: number
  spentMs: number
  /** The wait that was asked for and not granted, in milliseconds, with the time now. */
  refusedWaitMs?: number | undefined
  nowMs: number
}

/** The last failure with a hint that says how often it was tried, and when to come back if the service said so. */
function withRetrySummary(failure: unknown, facts: RetrySummary): unknown {
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
