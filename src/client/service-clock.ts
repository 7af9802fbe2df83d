import { ApiError, withHint } from '../contract/index.js'
import { spacedSpan } from '../shared/spans.js'
import type { Clock } from './clock.js'
import { parseHttpDate } from './retry-after.js'

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
