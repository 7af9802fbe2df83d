import { describe, expect, test } from 'vitest'
import { RateLimiter, rateLimitHeaders } from '../../../src/sandbox/http/rate-limiter.js'
import { fc, sampleCount } from '../../support/samples.js'

const quota = { requests: 20, windowMs: 1_000 }

/** The limiter in virtual time: requests `gapsMs` apart, each with its time and whether it was allowed. */
function play(gapsMs: readonly number[], quotaOf = quota) {
  let nowMs = 0
  const limiter = new RateLimiter(() => nowMs)
  return gapsMs.map((gapMs) => {
    nowMs += gapMs
    return { atMs: nowMs, ...limiter.take('caller', quotaOf) }
  })
}

describe('a rate limit of 20 a second', () => {
  test('allows 20 at once and 20 more only when a second has passed', () => {
    const verdicts = play([...Array(25).fill(0), 999, ...Array(25).fill(0), 1, ...Array(25).fill(0)])
    const allowed = verdicts.filter((verdict) => verdict.allowed).map(({ atMs }) => atMs)
    expect(allowed).toEqual([...Array(20).fill(0), ...Array(20).fill(1_000)])
  })

  test('allows 20 in any second, however the requests are spread, and refuses none that fits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 300 }), (gaps) => {
        const verdicts = play(gaps)
        const allowed = verdicts.filter((verdict) => verdict.allowed).map(({ atMs }) => atMs)
        for (const { atMs, allowed: isAllowed } of verdicts) {
          const inWindow = allowed.filter((time) => time > atMs - 1_000 && time <= atMs).length
          expect(inWindow).toBeLessThanOrEqual(20)
          if (!isAllowed) expect(inWindow).toBe(20)
        }
      }),
      { numRuns: sampleCount(300) },
    )
  })

  test('says what is left, and when all of it will be', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 100 }), (gaps) => {
        const last = play(gaps).at(-1)
        const { remaining = 0, resetMs = 0, retryAfterMs = 0, allowed } = last ?? {}
        const next = (afterMs: number, count: number) =>
          play([...gaps, afterMs, ...Array(count - 1).fill(0)])
            .slice(-count)
            .map((verdict) => verdict.allowed)
        expect(next(0, remaining + 1)).toEqual([...Array(remaining).fill(true), false])
        expect(next(resetMs, 21)).toEqual([...Array(20).fill(true), false])
        if (allowed === false) expect([next(retryAfterMs - 1, 1), next(retryAfterMs, 1)]).toEqual([[false], [true]])
      }),
      { numRuns: sampleCount(300) },
    )
  })

  test('is told by the headers', () => {
    const [, , third] = play([0, 400, 300])
    if (third === undefined) throw new Error('no verdict')
    expect(rateLimitHeaders(third, 'token', 5_300)).toEqual({
      RateLimit: 'default;r=17;t=1',
      'RateLimit-Policy': 'default;q=20;w=1',
      'X-RateLimit-Limit': '20',
      'X-RateLimit-Remaining': '17',
      'X-RateLimit-Reset': '7',
    })
  })

  test('rounds no fraction of a clock up to another second', () => {
    // Of these times, the sum with a second loses the last bits: 1000.0000000000073 ms would be two seconds.
    for (const nowMs of [64654.97659731257, 15507.978079671111, 15877.089910984154]) {
      const allowance = new RateLimiter(() => nowMs).take('caller', quota)
      expect(rateLimitHeaders(allowance, 'token', 0).RateLimit).toBe('default;r=19;t=1')
    }
  })
})
