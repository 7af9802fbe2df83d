import { ApiError, withHint } from '../contract/index.js'
import { spacedSpan } from '../shared/durations.js'
import type { Clock } from './clock.js'

/** The service's clock, as the `Date` of its answers tells it: exact to about a second plus the time on the way. */
export interface ServiceClock {
  /** Reads the `Date` of an answer that has just come. */
  observe(dateHeader: string | null): void
  /** The service's time in milliseconds since the epoch; `undefined` before the first answer that says it. */
  nowMs(): number | undefined
  /** Milliseconds by which the service's clock was ahead of this machine's at the last answer. */
  skewMs(): number | undefined
}

export function createServiceClock(clock: Clock): ServiceClock {
  let last: { text: string; serviceMs: number; localMs: number; monotonicMs: number } | undefined
  return {
    observe(dateHeader) {
      if (dateHeader === null) return
      // All answers of one second have the same date.
      const serviceMs = dateHeader === last?.text ? last.serviceMs : parseHttpDate(dateHeader)
      if (serviceMs === undefined) return
      last = { text: dateHeader, serviceMs, localMs: clock.nowMs(), monotonicMs: clock.monotonicMs() }
    },
    nowMs() {
      if (last === undefined) return undefined
      // The monotonic clock stands still while the machine sleeps, the other may be set: the later one is the safe one.
      const elapsedMs = Math.max(clock.monotonicMs() - last.monotonicMs, clock.nowMs() - last.localMs)
      return last.serviceMs + elapsedMs
    },
    skewMs: () => (last === undefined ? undefined : last.serviceMs - last.localMs),
  }
}

/** From here on the difference is worth a word: below it, transit time and whole seconds explain it. */
const noticeableMs = 60_000

const timedCodes: ReadonlySet<string> = new Set([
  'QUOTE_EXPIRED',
  'INVALID_TIME_CONSTRAINT',
  'VALIDATION_ERROR',
  'UNAUTHORIZED',
])

/** The failure, with a sentence on this machine's clock if that is off enough to be the cause of a refusal. */
export function withSkew(failure: unknown, skewMs = 0): unknown {
  const hint = failure instanceof ApiError && timedCodes.has(failure.code) ? describeSkew(skewMs) : undefined
  return hint === undefined ? failure : withHint(failure, hint)
}

/** `This machine's clock is 10 min behind the service's.`; `undefined` if the two agree to the minute. */
export function describeSkew(skewMs: number): string | undefined {
  if (Math.abs(skewMs) < noticeableMs) return undefined
  return `This machine's clock is ${spacedSpan(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the service's.`
}

/** A date as HTTP writes it; nothing that merely looks like a number or a year. */
export function parseHttpDate(text: string): number | undefined {
  if (!/^[A-Za-z]{3,9},? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? undefined : atMs
}

/**
 * The delay that `Retry-After` asks for, in milliseconds: whole or fractional seconds, or a date. A date is measured
 * against the answer's own `Date` if there is one, so that a clock that is off by minutes does not turn a short
 * wait into none or into an hour.
 *
 * @returns undefined where the header is absent or unreadable; 0 for a date that has passed
 */
export function parseRetryAfter(
  value: string | null,
  times: { nowMs: number; dateHeader?: string | null },
): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d{1,10}(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000)
  const atMs = parseHttpDate(text)
  if (atMs === undefined) return undefined
  const fromMs = parseHttpDate(times.dateHeader ?? '') ?? times.nowMs
  return Math.max(0, atMs - fromMs)
}
