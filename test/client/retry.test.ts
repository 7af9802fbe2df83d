import { describe, expect, test } from 'vitest'
import { defaultRetryLimits, type RetrySafety, retryDelayMs } from '../../src/client/index.js'
import { isLostAnswer, isRefusedAfterLoss, withLostAnswer } from '../../src/client/lost-answer.js'
import { readAllowance } from '../../src/client/pacing/rate-limit-header.js'
import { createRetryBudget } from '../../src/client/retry/retry.js'
import { parseRetryAfter } from '../../src/client/service-clock.js'
import { ApiError, ConnectionError, type ConnectionFailure, ContractError, withHint } from '../../src/contract/index.js'
import { fc } from '../support/samples.js'

const refusal = (status: number, code = 'X', retryAfterMs?: number) =>
  new ApiError('refused', { status, code, requestId: undefined, fieldErrors: [], details: undefined, retryAfterMs })
const lost = (reason: ConnectionFailure, status?: number) => new ConnectionError('lost', { reason, status })

const repeatabilities: RetrySafety[] = ['safe', 'idempotent', 'unsafe']
const retrySafety = fc.constantFrom(...repeatabilities)
const attempt = fc.integer({ min: 1, max: 60 })
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('A failed attempt', () => {
  test('is never repeated after 400, 401, 403, 404, 422, nor another 409, whatever Retry-After says', () => {
    const code = fc.constantFrom(
      'VALIDATION_ERROR',
      'DUPLICATE_ORDER',
      'IDEMPOTENCY_KEY_REUSED',
      'QUOTE_EXPIRED',
      'NEW',
    )
    fc.assert(
      fc.property(
        fc.constantFrom(400, 401, 403, 404, 409, 410, 422),
        code,
        retrySafety,
        attempt,
        random,
        fc.option(fc.nat()),
        (status, name, kind, at, luck, after) => {
          const policy = { retrySafety: kind, counted: 1, random: luck }
          expect(retryDelayMs(at, refusal(status, name, after ?? undefined), policy)).toBeUndefined()
        },
      ),
    )
  })

  test('is never repeated where a write without a key may have been executed', () => {
    const failures = fc.constantFrom(
      refusal(500),
      refusal(502),
      refusal(504),
      lost('timeout'),
      lost('reset'),
      lost('truncated'),
      lost('other'),
      lost('not-the-service', 502),
      new ContractError('cut', { operation: 'updateDelivery', issues: [] }),
    )
    fc.assert(
      fc.property(failures, attempt, random, (failure, at, luck) => {
        expect(retryDelayMs(at, failure, { retrySafety: 'unsafe', counted: 1, random: luck })).toBeUndefined()
        const kinds =
          failure instanceof ContractError ? ['idempotent' as const] : ['safe' as const, 'idempotent' as const]
        for (const kind of kinds)
          expect(retryDelayMs(at, failure, { retrySafety: kind, counted: 1, random: luck })).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  test('is repeated in any case where nothing was executed', () => {
    const failures = fc.constantFrom(
      refusal(429),
      refusal(503, 'SERVICE_UNAVAILABLE'),
      refusal(409, 'IDEMPOTENCY_CONFLICT'),
      lost('refused'),
      lost('name-not-found'),
      lost('unreachable'),
      lost('proxy', 502),
      lost('not-the-service', 429),
    )
    fc.assert(
      fc.property(failures, retrySafety, attempt, random, (failure, kind, at, luck) => {
        expect(retryDelayMs(at, failure, { retrySafety: kind, counted: 1, random: luck })).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  test('is never repeated after a TLS failure, a redirect, an answer too large, or an interruption', () => {
    const reason = fc.constantFrom<ConnectionFailure>('tls', 'redirect', 'too-large', 'aborted', 'held')
    fc.assert(
      fc.property(reason, retrySafety, attempt, random, (why, kind, at, luck) => {
        expect(retryDelayMs(at, lost(why), { retrySafety: kind, counted: 1, random: luck })).toBeUndefined()
      }),
    )
  })

  test('waits exactly as long as it is told, and else between nothing and a ceiling that doubles up to its limit', () => {
    fc.assert(
      fc.property(attempt, random, fc.option(fc.nat({ max: 10 ** 9 })), (at, luck, after) => {
        const delayMs = retryDelayMs(at, refusal(503, 'SERVICE_UNAVAILABLE', after ?? undefined), {
          retrySafety: 'idempotent',
          counted: 1,
          random: luck,
        })
        if (after !== null) {
          expect(delayMs).toBe(after)
          return
        }
        const { baseDelayMs, maxDelayMs } = defaultRetryLimits
        expect(delayMs).toBeGreaterThanOrEqual(0)
        expect(delayMs).toBeLessThanOrEqual(Math.min(maxDelayMs, baseDelayMs * 2 ** (at - 1)))
        expect(delayMs).toBe(Math.round(luck * Math.min(maxDelayMs, baseDelayMs * 2 ** (at - 1))))
      }),
    )
  })

  test('is given up after its repetitions are used up; 429 is not counted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 1, max: 40 }),
        random,
        (maxRetries, counted, luck) => {
          const policy = { retrySafety: 'idempotent' as const, counted, random: luck, limits: { maxRetries } }
          expect(retryDelayMs(counted, refusal(503), policy) === undefined).toBe(counted > maxRetries)
          expect(retryDelayMs(counted, refusal(429), policy)).toBeDefined()
        },
      ),
    )
  })
})

describe('The budget for repetitions', () => {
  test('never grants more than its reserve and a share of what was sent, and once spent stays so', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('send', 'fail', 'limit'), { maxLength: 400, size: 'max' }), (moves) => {
        const budget = createRetryBudget()
        let sent = 0
        let granted = 0
        let hasDenied = false
        for (const move of moves) {
          if (move === 'send') {
            budget.earn()
            sent++
          } else if (move === 'limit') expect(budget.grantRetry(refusal(429))).toBe(true)
          else if (budget.grantRetry(refusal(503))) {
            expect(hasDenied).toBe(false)
            granted++
          } else hasDenied = true
          expect(granted).toBeLessThanOrEqual(20 + sent / 10 + 1e-6)
          expect(budget.isSpent()).toBe(hasDenied)
        }
      }),
    )
  })
})

describe('Retry-After', () => {
  const nowMs = Date.UTC(2026, 2, 2, 15)

  test('is read as seconds, whole or not', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 7 }), fc.constantFrom('', ' '), (seconds, blank) => {
        expect(parseRetryAfter(`${blank}${seconds}${blank}`, { nowMs })).toBe(seconds * 1_000)
        expect(parseRetryAfter(`${seconds}.5`, { nowMs })).toBe(seconds * 1_000 + 500)
      }),
    )
  })

  test('is read as a date, by the service’s own clock where that is known', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(10 ** 5), max: 10 ** 6 }),
        fc.integer({ min: -(10 ** 6), max: 10 ** 6 }),
        (seconds, skewSeconds) => {
          const serviceMs = nowMs + skewSeconds * 1_000
          const at = new Date(serviceMs + seconds * 1_000).toUTCString()
          const waitMs = Math.max(0, seconds * 1_000)
          expect(parseRetryAfter(at, { nowMs, dateHeader: new Date(serviceMs).toUTCString() })).toBe(waitMs)
          expect(parseRetryAfter(at, { nowMs: serviceMs })).toBe(waitMs)
        },
      ),
    )
  })

  test('is nothing where it is neither, and never negative nor endless', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('-1', '1e9', 'Infinity', 'NaN', '0x10', '2026', '', '1,2')),
        (text) => {
          const delayMs = parseRetryAfter(text, { nowMs })
          if (delayMs === undefined) return
          expect(Number.isFinite(delayMs) && delayMs >= 0).toBe(true)
          expect(text).toMatch(/\d/)
        },
      ),
    )
    for (const text of ['-1', '1e9', 'Infinity', 'NaN', '0x10', '2026-03-02', '', '1,2', 'soon'])
      expect(parseRetryAfter(text, { nowMs }), text).toBeUndefined()
  })
})

describe('RateLimit', () => {
  const nowMs = Date.UTC(2026, 2, 2, 15)
  const token = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/)
  const quoted = fc.string({ maxLength: 10 }).map((text) => `"${text.replace(/[\\"\u0000-\u001f\u007f-\uffff]/g, '')}"`)
  const blank = fc.constantFrom('', ' ')

  test('is read with a token or a quoted name, parameters in any order, others between them', () => {
    fc.assert(
      fc.property(
        fc.oneof(token, quoted),
        fc.nat({ max: 10_000 }),
        fc.nat({ max: 3_600 }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        blank,
        (name, r, t, q, w, isTurned, space) => {
          const state = [`r=${r}`, 'pk=:ab=:', `t=${t}`]
          const policy = [`q=${q}`, 'x="a;q=1,b"', `w=${w}`]
          const headers = new Headers({
            ratelimit: [name, ...(isTurned ? state.reverse() : state)].join(`;${space}`),
            'ratelimit-policy': [name, ...(isTurned ? policy.reverse() : policy)].join(`;${space}`),
          })
          expect(readAllowance(headers, () => nowMs)).toEqual({
            policies: [{ name: name.replaceAll('"', ''), quota: q, windowMs: w * 1_000 }],
            remaining: r,
            resetMs: t * 1_000,
          })
        },
      ),
    )
  })

  test('takes the scarcest of several, the older forms and the X- headers as well', () => {
    const read = (headers: Record<string, string>) => readAllowance(new Headers(headers), () => nowMs)
    expect(read({ ratelimit: 'a;r=5;t=1, b;r=2;t=9' })).toMatchObject({ remaining: 2, resetMs: 9_000 })
    expect(read({ ratelimit: 'limit=20, remaining=5, reset=1' })).toMatchObject({ remaining: 5, resetMs: 1_000 })
    expect(read({ 'ratelimit-policy': '20;w=1' }).policies).toEqual([{ quota: 20, windowMs: 1_000 }])
    const reset = String(nowMs / 1_000 + 3)
    expect(read({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })).toEqual({
      policies: [],
      remaining: 0,
      resetMs: 3_000,
    })
    expect(read({})).toEqual({ policies: [], remaining: undefined, resetMs: undefined })
  })

  test('never gives a quota, a window or a wait that cannot be', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[a-z"=;,0-9 .-]{0,40}$/))
    fc.assert(
      fc.property(text, text, (limit, policy) => {
        const raw = new Map([
          ['ratelimit', limit],
          ['ratelimit-policy', policy],
        ])
        const allowance = readAllowance(
          { get: (name) => raw.get(name.toLowerCase()) ?? null, [Symbol.iterator]: () => raw[Symbol.iterator]() },
          () => nowMs,
        )
        for (const { quota, windowMs } of allowance.policies) {
          expect(Number.isInteger(quota) && quota >= 1).toBe(true)
          expect(windowMs > 0 && Number.isFinite(windowMs)).toBe(true)
        }
        for (const amount of [allowance.remaining, allowance.resetMs])
          expect(amount === undefined || (Number.isFinite(amount) && amount >= 0)).toBe(true)
      }),
    )
  })
})

describe('What a lost answer means', () => {
  const request = { headers: { 'idempotency-key': 'KEY-1' } }
  const failedAs = (failure: Error, wasLost: boolean) => withLostAnswer(failure, 'createDelivery', request, wasLost)

  test('is known of the failure after a hint was added to it', () => {
    const unknown = withHint(failedAs(lost('timeout'), false), 'One more sentence.')
    expect(unknown).toMatchObject({ hint: expect.stringMatching(/KEY-1 .* One more sentence\.$/) })
    expect([isLostAnswer(unknown), isRefusedAfterLoss(unknown)]).toEqual([true, false])
    const refused = withHint(failedAs(refusal(409), true), 'One more sentence.')
    expect([isLostAnswer(refused), isRefusedAfterLoss(refused)]).toEqual([false, true])
    expect(isLostAnswer(withHint(failedAs(refusal(409), false), 'One more sentence.'))).toBe(false)
    expect(JSON.stringify(unknown)).toBe(
      JSON.stringify(withHint(lost('timeout'), (unknown as ConnectionError).hint ?? '')),
    )
  })
})
