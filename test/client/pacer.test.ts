import { describe, expect, test } from 'vitest'
import { createPacer, type Pacer } from '../../src/client/index.js'
import { seededRandom } from '../../src/shared/math.js'
import { fixedWindow, type Limiter, slidingWindow, tokenBucket } from '../support/client/rate-limiters.js'
import { type VirtualClock, virtualClock } from '../support/client/virtual-clock.js'
import { fc, sampleCount } from '../support/samples.js'

interface Load {
  pacer: Pacer
  clock: VirtualClock
  limiter: Limiter
  requests: number
  workers: number
  latencyMs: () => number
  headersOf?: (verdict: ReturnType<Limiter>) => Record<string, string>
}

const policyHeaders =
  (quota: number, windowSeconds: number) =>
  ({ remaining, resetSeconds }: ReturnType<Limiter>) => ({
    ratelimit: `default;r=${Math.max(0, remaining)};t=${Math.ceil(resetSeconds)}`,
    'ratelimit-policy': `default;q=${quota};w=${windowSeconds}`,
  })

/** Sends requests through the pacer in virtual time; half of each latency passes before the service counts. */
async function run({ pacer, clock, limiter, requests, workers, latencyMs, headersOf }: Load) {
  const sentAtMs: number[] = []
  let refused = 0
  let left = requests
  async function worker() {
    while (left > 0) {
      left--
      const permit = await pacer.acquire(Number.POSITIVE_INFINITY)
      sentAtMs.push(clock.monotonicMs())
      const onTheWayMs = latencyMs()
      await clock.sleep(onTheWayMs)
      const verdict = limiter(clock.monotonicMs())
      await clock.sleep(latencyMs())
      const headers = new Headers(headersOf?.(verdict) ?? {})
      if (verdict.isAllowed) permit?.settle({ status: 200, headers })
      else {
        refused++
        left++
        permit?.settle({ status: 429, headers, retryAfterMs: 1_000 })
      }
    }
  }
  await clock.runFor(Promise.all(Array.from({ length: workers }, worker)))
  return { sentAtMs, refused, elapsedMs: clock.monotonicMs() }
}

describe('The pacer', () => {
  test.each([
    ['fixed windows', (offset: number) => fixedWindow(20, 1_000, offset)],
    ['a sliding window', () => slidingWindow(20, 1_000)],
    ['a bucket', () => tokenBucket(20, 1_000)],
  ] as const)('uses at least 98 % of 20 a second and is never refused under %s', async (_, limiterOf) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 1 }), async (offset, seed) => {
        const random = seededRandom(seed)
        const clock = virtualClock(undefined, () => random() * 1.5)
        const pacer = createPacer({ clock })
        const latencyMs = () => 2 + random() * 3
        const load = { pacer, clock, limiter: limiterOf(offset), requests: 300, workers: 8, latencyMs }
        const { sentAtMs, refused } = await run({ ...load, headersOf: policyHeaders(20, 1) })
        expect(refused).toBe(0)
        const afterFirstSecond = sentAtMs.filter((atMs) => atMs >= 1_000)
        const spanMs = (sentAtMs.at(-1) ?? 0) - 1_000
        expect(afterFirstSecond.length / (spanMs / 1_000) / 20).toBeGreaterThanOrEqual(0.98)
      }),
      { numRuns: sampleCount(25) },
    )
  })

  test('is never refused although some requests reach the service late, the first ones above all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
        const random = seededRandom(seed)
        const clock = virtualClock(undefined, () => random() * 1.5)
        let sent = 0
        const latencyMs = () => {
          const isLate = sent++ < 4 || random() < 0.05
          return 2 + random() * (isLate ? 200 : 3)
        }
        const limiter = slidingWindow(20, 1_000)
        const load = { pacer: createPacer({ clock }), clock, limiter, requests: 300, workers: 16, latencyMs }
        const { refused, elapsedMs } = await run({ ...load, headersOf: policyHeaders(20, 1) })
        expect(refused).toBe(0)
        expect(elapsedMs).toBeLessThan(17_000)
      }),
      { numRuns: sampleCount(40) },
    )
  })

  test('keeps the pace when answers take longer than the window', async () => {
    const clock = virtualClock()
    const pacer = createPacer({ clock, requestsPerSecond: 20 })
    const latencyMs = () => 800
    const load = { pacer, clock, limiter: slidingWindow(20, 1_000), requests: 200, workers: 64, latencyMs }
    const { refused, elapsedMs } = await run({ ...load, headersOf: policyHeaders(20, 1) })
    expect(refused).toBe(0)
    expect(elapsedMs).toBeLessThan(12_000)
  })

  test('sends one request and learns the rate before it sends more', async () => {
    const clock = virtualClock()
    const pacer = createPacer({ clock })
    const first = await pacer.acquire(1_000)
    let isSecondGranted = false
    const second = pacer.acquire(10_000).then((permit) => {
      isSecondGranted = true
      return permit
    })
    await clock.runUntil(500)
    expect(isSecondGranted).toBe(false)
    first?.settle({ status: 200, headers: new Headers({ 'ratelimit-policy': '"default";w=10;q=5' }) })
    await second
    expect(pacer.allowedPerSecond()).toBe(0.5)
  })

  test('holds everyone for as long as Retry-After asks, and no longer', async () => {
    const clock = virtualClock()
    const pacer = createPacer({ clock, requestsPerSecond: 100 })
    const refused = await pacer.acquire(1_000)
    refused?.settle({ status: 429, headers: new Headers(), retryAfterMs: 2_000 })
    expect(pacer.heldForMs()).toBe(2_000)
    const grantedAtMs: number[] = []
    const waiting = Array.from({ length: 5 }, async () => {
      const permit = await pacer.acquire(60_000)
      grantedAtMs.push(clock.monotonicMs())
      permit?.settle({ status: 200, headers: new Headers() })
    })
    await clock.runFor(Promise.all(waiting))
    expect(Math.min(...grantedAtMs)).toBe(2_000)
    expect(Math.max(...grantedAtMs)).toBeLessThan(2_100)
  })

  test('never takes "remaining 0" forever, with or without a reset', async () => {
    for (const ratelimit of ['default;r=0;t=2', 'default;r=0', '"default";t=2;r=0']) {
      const clock = virtualClock()
      const pacer = createPacer({ clock, requestsPerSecond: 20 })
      const permit = await pacer.acquire(1_000)
      permit?.settle({ status: 200, headers: new Headers({ ratelimit }) })
      await clock.runFor(pacer.acquire(10_000))
      expect(clock.monotonicMs()).toBeGreaterThanOrEqual(1_000)
      expect(clock.monotonicMs()).toBeLessThanOrEqual(2_100)
    }
  })

  test('keeps a quota for the day beside a rate: it is not spread, and stops what it no longer allows', async () => {
    for (const quote of ['', '"']) {
      const [rate, day] = [`${quote}default${quote}`, `${quote}daily${quote}`]
      const clock = virtualClock()
      const pacer = createPacer({ clock })
      const perSecond = slidingWindow(20, 1_000)
      let left = 200
      const headersOf = ({ remaining }: ReturnType<Limiter>) => ({
        'ratelimit-policy': `${rate};q=20;w=1, ${day};q=500000;w=86400`,
        ratelimit: `${rate};r=${Math.max(0, remaining)};t=1, ${day};r=${Math.max(0, left)};t=7200`,
      })
      const limiter: Limiter = (nowMs) => {
        const verdict = perSecond(nowMs)
        if (verdict.isAllowed) left--
        return { ...verdict, isAllowed: verdict.isAllowed && left >= 0 }
      }
      const load = { pacer, clock, limiter, requests: 200, workers: 16, latencyMs: () => 20, headersOf }
      const { refused, elapsedMs } = await run(load)
      expect(refused).toBe(0)
      expect(elapsedMs).toBeLessThan(11_000)
      expect(pacer.allowedPerSecond()).toBe(20)
      expect(await pacer.acquire(60_000)).toBeUndefined()
      expect(pacer.limitedBy?.()).toEqual({ name: 'daily', quota: 500_000, windowMs: 86_400_000 })
      expect(pacer.heldForMs()).toBeGreaterThan(7_000_000)
      const renewed = pacer.acquire(Number.POSITIVE_INFINITY)
      await clock.runFor(renewed)
      expect(clock.monotonicMs()).toBeGreaterThan(7_200_000)
    }
  })

  test('leaves room for another program that uses the same key', async () => {
    const clock = virtualClock()
    const limiter = fixedWindow(20, 1_000)
    const pacer = createPacer({ clock })
    const other = (async () => {
      for (let sent = 0; sent < 60; sent++) {
        await clock.sleep(100)
        limiter(clock.monotonicMs())
      }
    })()
    const latencyMs = () => 2
    const load = { pacer, clock, limiter, requests: 60, workers: 8, latencyMs, headersOf: policyHeaders(20, 1) }
    const { refused } = await run(load)
    await clock.runFor(other)
    expect(refused).toBeLessThanOrEqual(5)
  })

  test('finds out a rate that is not announced, and stays near it', async () => {
    const clock = virtualClock()
    const pacer = createPacer({ clock })
    const load = { pacer, clock, limiter: slidingWindow(50, 1_000), requests: 2_000, workers: 16, latencyMs: () => 2 }
    const { refused, elapsedMs } = await run(load)
    expect(refused).toBeLessThan(200)
    expect(2_000 / (elapsedMs / 1_000)).toBeGreaterThan(25)
  })

  test('does not slow down a service without a limit', async () => {
    const clock = virtualClock()
    const pacer = createPacer({ clock })
    const limiter: Limiter = () => ({ isAllowed: true, remaining: 1, resetSeconds: 1 })
    const { elapsedMs } = await run({ pacer, clock, limiter, requests: 1_000, workers: 10, latencyMs: () => 1 })
    expect(elapsedMs).toBeLessThan(250)
  })

  test('lets a waiter leave without losing the turn of the next', async () => {
    const clock = virtualClock()
    const pacer = createPacer({ clock, requestsPerSecond: 1 })
    await pacer.acquire(0)
    const leaving = new AbortController()
    const left = pacer.acquire(60_000, leaving.signal)
    const next = pacer.acquire(60_000)
    leaving.abort()
    expect(await left).toBeUndefined()
    expect(await clock.runFor(next)).toBeDefined()
    expect(clock.monotonicMs()).toBeLessThanOrEqual(1_021)
  })
})

test.each([
  -10, 10,
])('A reset given as a time is measured by the service’s Date: a clock %d days off waits no longer', async (days) => {
  const clock = virtualClock()
  const pacer = createPacer({ clock })
  const serviceMs = Math.floor(clock.nowMs() / 1_000) * 1_000 - days * 86_400_000
  const headers = new Headers({
    date: new Date(serviceMs).toUTCString(),
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(serviceMs / 1_000 + 2),
  })
  const permit = await pacer.acquire(Number.POSITIVE_INFINITY)
  permit?.settle({ status: 429, headers })
  expect(pacer.heldForMs()).toBe(2_000)
})
