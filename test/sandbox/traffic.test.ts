import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'

describe('the rate limit', () => {
  test('lets 20 requests through at once and says what is left on every answer', async () => {
    const { caller } = await startTestSandbox({ rateLimit: 20 })
    const replies = await Promise.all(Array.from({ length: 30 }, () => caller.get('/capabilities')))
    const refused = replies.filter(({ status }) => status === 429)
    expect(replies.length - refused.length).toBeGreaterThanOrEqual(20)
    expect(refused.length).toBeGreaterThan(0)
    for (const reply of refused) {
      expect(reply.code).toBe('RATE_LIMIT_EXCEEDED')
      expect(reply.headers.get('Retry-After')).toBe('1')
      expect(reply.headers.get('X-RateLimit-Remaining')).toBe('0')
    }
    const [first] = replies
    expect(first?.headers.get('RateLimit')).toMatch(/^default;r=19;t=1$/)
    expect(first?.headers.get('RateLimit-Policy')).toBe('default;q=20;w=1')
    expect(first?.headers.get('X-RateLimit-Limit')).toBe('20')
    const resetMs = Number(first?.headers.get('X-RateLimit-Reset')) * 1_000
    const answeredMs = Date.parse(first?.headers.get('Date') ?? '')
    // Both are whole seconds, and Node writes a Date of the second before while it is busy.
    expect(Math.abs(resetMs - answeredMs)).toBeLessThanOrEqual(4_000)
  })

  test.each([0, 0.5, -1, 1e9, Number.NaN])('cannot be %d', (rateLimit) => {
    expect(() => createSandbox({ rateLimit })).toThrow(/rateLimit must be "off" or a whole number/)
  })

  test('is one for each key, and the slow account’s is one a second', async () => {
    const { caller } = await startTestSandbox({ rateLimit: 20 })
    const slow = caller.as('dlvk_sbx_slow')
    expect([(await slow.get('/capabilities')).status, (await slow.get('/capabilities')).status]).toEqual([200, 429])
    expect((await caller.get('/capabilities')).status).toBe(200)
    const fast = await Promise.all(Array.from({ length: 100 }, () => caller.as('dlvk_sbx_fast').get('/capabilities')))
    expect(new Set(fast.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('is told in the capabilities of the account', async () => {
    const { caller } = await startTestSandbox({ rateLimit: 35 })
    const limitOf = async (key?: string) => {
      const { body } = await (key === undefined ? caller : caller.as(key)).get('/capabilities')
      return (body.capabilities as Record<string, unknown>).maxRequestsPerSecond
    }
    expect([await limitOf(), await limitOf('dlvk_sbx_slow'), await limitOf('dlvk_sbx_fast')]).toEqual([35, 1, 100_000])
  })

  test('comes after the key and before everything else', async () => {
    const { caller } = await startTestSandbox({ rateLimit: 20 })
    const slow = caller.as('dlvk_sbx_slow')
    await slow.get('/capabilities')
    expect((await slow.post('/deliveries', '{', { headers: { 'Content-Type': 'application/json' } })).status).toBe(429)
    expect((await caller.as('nobody').post('/deliveries', '{')).status).toBe(401)
  })

  test('of health is stricter, goes by address, and needs no key', async () => {
    const { caller } = await startTestSandbox({ rateLimit: 20 })
    const replies = await Promise.all(Array.from({ length: 8 }, () => caller.get('/health', { apiKey: undefined })))
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(5)
    expect(replies.some(({ status }) => status === 429)).toBe(true)
    expect(replies[0]?.headers.get('RateLimit-Policy')).toBe('default;q=5;w=3')
  })

  test('is written as a quoted string where the switch says so', async () => {
    const { caller } = await startTestSandbox({ rateLimit: 20, switches: { rateLimitForm: 'quoted' } })
    expect((await caller.get('/capabilities')).headers.get('RateLimit')).toBe('"default";r=19;t=1')
  })
})

test('a request without a good key is told how to show one', async () => {
  const { caller } = await startTestSandbox()
  for (const apiKey of [undefined, 'nobody'])
    expect((await caller.get('/teams', { apiKey })).headers.get('WWW-Authenticate')).toBe('Bearer')
})

describe('an outage', () => {
  test('answers 503 everywhere and degrades health', async () => {
    const { caller } = await startTestSandbox()
    await caller.steer('POST', '/outage', { on: true })
    const health = await caller.get('/health')
    expect({ status: health.status, body: health.body }).toEqual({
      status: 503,
      body: { status: 'degraded', checkedAt: expect.any(String) },
    })
    const created = await caller.create(testOrder())
    expect(created.code).toBe('SERVICE_UNAVAILABLE')
    expect(created.headers.get('Retry-After')).toMatch(/^\d+$/)
    await caller.steer('POST', '/outage', { on: false })
    expect((await caller.get('/health')).body.status).toBe('healthy')
  })
})

describe('a fault of transport', () => {
  test.each([
    'RESET',
    'TRUNCATE',
    'TIMEOUT_AFTER_COMMIT',
  ])('%s fails the first call and not the second', async (token) => {
    const { caller } = await startTestSandbox()
    const order = testOrder()
    const headers = { 'Idempotency-Key': 'k', 'X-Sandbox-Force': `${token}; times=1` }
    await expect(caller.create(order, { headers })).rejects.toThrow()
    const again = await caller.create(order, { headers })
    expect(again.status).toBe(token === 'RESET' ? 201 : 200)
  })

  test('HANG never answers', async () => {
    const { sandbox } = await startTestSandbox()
    const response = fetch(`${sandbox.baseUrl}/capabilities`, {
      headers: { Authorization: `Bearer ${sandbox.apiKey}`, 'X-Sandbox-Force': 'HANG' },
      signal: AbortSignal.timeout(200),
    })
    await expect(response).rejects.toThrow(/timeout/)
  })

  test('GARBAGE is a 502 that is no JSON', async () => {
    const { caller } = await startTestSandbox()
    const reply = await caller.get('/capabilities', { headers: { 'X-Sandbox-Force': 'GARBAGE' }, offContract: true })
    expect(reply.status).toBe(502)
    expect(reply.text).toMatch(/^<html>/)
  })

  test('is played by a rule as well, so often as it says and for its operation alone', async () => {
    const { caller } = await startTestSandbox()
    const rules = [{ operation: 'getCapabilities', force: 'SERVICE_UNAVAILABLE; retry_after=9', times: 2 }]
    await caller.steer('POST', '/faults', { rules })
    const statuses = []
    for (let count = 0; count < 3; count++) statuses.push((await caller.get('/capabilities')).status)
    expect(statuses).toEqual([503, 503, 200])
    expect((await caller.get('/teams')).status).toBe(200)
  })

  test('that is drawn is drawn alike with the same seed', async () => {
    const { caller } = await startTestSandbox()
    const run = async () => {
      await caller.steer('POST', '/faults', { seed: 42, rules: [{ probability: 0.5, force: 'SERVICE_UNAVAILABLE' }] })
      const statuses = []
      for (let count = 0; count < 20; count++) statuses.push((await caller.get('/teams')).status)
      return statuses
    }
    const first = await run()
    expect(new Set(first)).toEqual(new Set([200, 503]))
    expect(await run()).toEqual(first)
  })

  test('delays an answer', async () => {
    const { caller } = await startTestSandbox()
    await caller.steer('POST', '/faults', {
      rules: [{ operation: 'listTeams', latencyMs: { min: 1_000, max: 1_100 } }],
    })
    const answered: string[] = []
    const ask = async (path: string) => {
      await caller.get(path)
      answered.push(path)
    }
    const delayed = ask('/teams')
    for (let count = 0; count < 3; count++) await ask('/drivers')
    await delayed
    expect(answered).toEqual(['/drivers', '/drivers', '/drivers', '/teams'])
  })

  test.each([
    { rules: [{ force: 'NO_SUCH' }] },
    { rules: [{ hooks: 'no_such' }] },
    { rules: [{ operation: 'no_such' }] },
    { rules: [{ op: 'createDelivery', force: 'RESET' }] },
    { rules: [{ probability: 2 }] },
    {},
  ])('that nobody knows is refused: %j', async (faults) => {
    const { caller } = await startTestSandbox()
    expect((await caller.trySteer('POST', '/faults', faults)).status).toBe(400)
  })
})

describe('a switch', () => {
  test('duplicates=active frees the reference of a finished delivery', async () => {
    const { caller } = await startTestSandbox({ switches: { duplicates: 'active' } })
    const order = testOrder()
    const { body } = await caller.create(order)
    expect((await caller.create(order)).code).toBe('DUPLICATE_ORDER')
    await caller.post(`/deliveries/${body.deliveryId}/cancel`)
    await caller.steer('POST', '/switches', { duplicates: 'forever' })
    expect((await caller.create(order)).code).toBe('DUPLICATE_ORDER')
    await caller.steer('POST', '/switches', { duplicates: 'active' })
    const again = await caller.create(order)
    expect(again.status).toBe(201)
    const found = await caller.get(`/deliveries?clientOrderReference=${order.clientOrderReference}`)
    expect(found.body).toMatchObject({ deliveries: [{ deliveryId: again.body.deliveryId }] })
  })

  test('unknownFields=reject refuses what the contract does not know, and takes any metadata', async () => {
    const { caller } = await startTestSandbox({ switches: { unknownFields: 'reject' } })
    const reply = await caller.create(testOrder({ dropoff: { doorCode: 7 } }))
    expect(reply.body).toMatchObject({
      error: {
        code: 'VALIDATION_ERROR',
        details: { fieldErrors: [{ field: 'dropoff.doorCode', code: 'UNKNOWN_FIELD' }] },
      },
    })
    expect((await caller.create(testOrder({ metadata: { anything: { goes: 1 } } }))).status).toBe(201)
  })

  test('simulateIllegalCode changes the code beside 422', async () => {
    const { caller } = await startTestSandbox({ switches: { simulateIllegalCode: 'VALIDATION_ERROR' } })
    const { body } = await caller.create(testOrder())
    const reply = await caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'scheduled' })
    expect([reply.status, reply.code]).toEqual([422, 'VALIDATION_ERROR'])
  })

  test('simulateReasons=lenient takes a reason that does not fit', async () => {
    const { caller } = await startTestSandbox()
    const { body } = await caller.create(testOrder())
    const path = `/deliveries/${body.deliveryId}/simulate`
    const move = { advanceTo: 'failed', statusReasonCode: 'cancelled_by_carrier' }
    expect((await caller.post(path, move)).status).toBe(422)
    await caller.steer('POST', '/switches', { simulateReasons: 'lenient' })
    expect((await caller.post(path, move)).status).toBe(200)
  })

  test('lookupShape=array answers a lookup with a bare array', async () => {
    const { caller } = await startTestSandbox({ switches: { lookupShape: 'array' } })
    const order = testOrder()
    const { body } = await caller.create(order)
    const path = `/deliveries?clientOrderReference=${order.clientOrderReference}`
    expect((await caller.get(path, { offContract: true })).body).toMatchObject([{ deliveryId: body.deliveryId }])
  })

  test('future=on sends what no version of the contract knows', async () => {
    const { caller } = await startTestSandbox({ switches: { future: 'on' } })
    await expect(caller.get('/capabilities')).rejects.toThrow('unknown property')
    const offContract = { offContract: true }
    const { body } = await caller.create(testOrder({ metadata: { sandbox_pace: 'fast' } }), offContract)
    await caller.steer('POST', '/clock', { advance: '1m' })
    const delivery = await caller.get(`/deliveries/${body.deliveryId}`, offContract)
    expect(delivery.body).toMatchObject({ carbonGrams: 412, status: 'delivered' })
    expect(delivery.body.statusHistory).toContainEqual(expect.objectContaining({ status: 'driver_paused' }))
    const installation = await caller.get('/installations/ZZOK', offContract)
    expect(installation.body.supportedDeliveryPoints).toContain('parcel_locker')
  })

  test('that nobody knows is refused', async () => {
    const { caller } = await startTestSandbox()
    expect((await caller.trySteer('POST', '/switches', { colour: 'red' })).status).toBe(400)
    expect((await caller.trySteer('POST', '/switches', { future: 'maybe' })).status).toBe(400)
  })
})
