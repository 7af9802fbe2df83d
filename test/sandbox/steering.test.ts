import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandbox, type LoggedRequest } from '../../src/sandbox/index.js'
import { Caller } from '../support/sandbox/caller.js'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestReceiver } from '../support/sandbox/receiver.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'
import { createTempDir } from '../support/temp-dir.js'

const foreign: [string, Record<string, string>][] = [
  ['a name that is not this machine’s', { Host: 'sandbox.example.com' }],
  ['a foreign page', { Origin: 'https://example.com' }],
  ['a page without an origin', { Origin: 'null' }],
]

const keyOf = ({ apiKey }: { apiKey: string }) => ({ Authorization: `Bearer ${apiKey}` })

/** The status of a request whose Host and Origin are its own, which `fetch` would not send. */
async function statusOf(url: string, method: string, headers: Record<string, string>): Promise<number | undefined> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    const sent = request(new URL(url), { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('the service on loopback', () => {
  test.each(foreign)('is refused to %s', async (_, headers) => {
    const { sandbox } = await startTestSandbox()
    expect(await statusOf(`${sandbox.baseUrl}/capabilities`, 'GET', { ...keyOf(sandbox), ...headers })).toBe(403)
  })

  test.each([
    ['its own names', { Host: 'localhost' }],
    ['a page of this machine', { Origin: 'http://localhost:3000' }],
    ['its public address', { Host: 'tunnel.example.com', Origin: 'https://tunnel.example.com' }],
  ])('is open to %s', async (_, headers) => {
    const { sandbox } = await startTestSandbox({ publicUrl: 'https://tunnel.example.com' })
    expect(await statusOf(`${sandbox.baseUrl}/capabilities`, 'GET', { ...keyOf(sandbox), ...headers })).toBe(200)
  })
})

describe('steering', () => {
  test.each(foreign)('is refused to %s', async (_, headers) => {
    const { sandbox } = await startTestSandbox()
    expect(await statusOf(`${sandbox.controlUrl}/reset`, 'POST', headers)).toBe(403)
  })

  test('knows its own paths and methods alone', async () => {
    const { caller } = await startTestSandbox()
    expect((await caller.trySteer('GET', '/nothing')).status).toBe(404)
    expect((await caller.trySteer('GET', '/reset')).status).toBe(405)
    expect((await caller.trySteer('POST', '/outage', {})).status).toBe(400)
    expect((await caller.trySteer('POST', '/outage', { on: true, off: false })).status).toBe(400)
    expect((await caller.trySteer('GET', '/ready')).body).toEqual({ ready: true })
  })

  test('reset leaves an empty, seeded state and the secret that receivers know', async () => {
    const { sandbox, caller } = await startTestSandbox({ switches: { lookupShape: 'array' } })
    const secret = sandbox.webhookSecret
    const { body } = await caller.create(testOrder())
    await caller.steer('POST', '/endpoints', { url: 'http://127.0.0.1:9/' })
    await caller.steer('POST', '/switches', { duplicates: 'active', lookupShape: 'page' })
    await caller.steer('POST', '/clock', { advance: '1000h' })
    await caller.steer('POST', '/outage', { on: true })
    await caller.steer('POST', '/reset')
    expect((await caller.get(`/deliveries/${body.deliveryId}`)).code).toBe('DELIVERY_NOT_FOUND')
    const status = await caller.steer('GET', '/status')
    expect(status).toMatchObject({
      deliveries: 0,
      events: 0,
      endpoints: [],
      outage: false,
      switches: { duplicates: 'forever', lookupShape: 'array' },
    })
    expect(Math.abs(Date.parse((status.clock as { now: string }).now) - Date.now())).toBeLessThan(5_000)
    expect(sandbox.webhookSecret).toBe(secret)
    expect((await caller.get('/installations/FTBRAGG')).status).toBe(200)
  })

  test.each(['memory', 'file'])('goes back to a named snapshot (%s)', async (kind) => {
    const { caller } = await startTestSandbox(kind === 'file' ? { data: join(createTempDir(), 'sandbox.db') } : {})
    const { body: kept } = await caller.create(testOrder())
    await caller.steer('POST', '/snapshots/before')
    const { body: lost } = await caller.create(testOrder())
    await caller.post(`/deliveries/${kept.deliveryId}/cancel`)
    await caller.steer('PUT', '/installations/FTBRAGG', { fpconLevel: 'delta' })
    await caller.steer('POST', '/snapshots/before/restore')
    expect((await caller.get(`/deliveries/${kept.deliveryId}`)).body.status).toBe('accepted')
    expect((await caller.get(`/deliveries/${lost.deliveryId}`)).status).toBe(404)
    expect((await caller.get('/installations/FTBRAGG')).body.fpconLevel).toBe('normal')
    expect(await caller.steer('GET', '/snapshots')).toMatchObject({ snapshots: [{ name: 'before' }] })
    expect((await caller.trySteer('POST', '/snapshots/nobody/restore')).status).toBe(404)
    expect((await caller.trySteer('POST', '/snapshots/..%2F..%2Fescape')).status).toBe(400)
  })

  test('shows the inside of a delivery', async () => {
    const { caller } = await startTestSandbox()
    const metadata = { sandbox_outcome: 'recipient_refused', sandbox_pace: 'manual', customer: 7 }
    const { body } = await caller.create(testOrder({ metadata, package: { weightGrams: 900 } }))
    expect(await caller.steer('GET', `/deliveries/${body.deliveryId}`)).toMatchObject({
      deliveryId: body.deliveryId,
      metadata,
      package: { weightGrams: 900 },
      scriptedOutcome: 'recipient_refused',
      pace: 'manual',
      nextDueAt: null,
    })
  })

  test('shows the last requests and answers without the key', async () => {
    const { caller } = await startTestSandbox()
    await caller.create(testOrder({ clientOrderReference: 'seen' }))
    const text = JSON.stringify(await caller.steer('GET', '/requests'))
    expect(text).toContain('seen')
    expect(text).toContain('[redacted]')
    expect(text).not.toContain('dlvk_sbx')
  })

  test('tells of every request once it was answered', async () => {
    const told: LoggedRequest[] = []
    const { sandbox, caller } = await startTestSandbox({ onRequest: (request) => told.push(request) })
    await caller.create(testOrder())
    await caller.get('/deliveries/del_missing')
    await statusOf(`${sandbox.baseUrl}/capabilities`, 'GET', { ...keyOf(sandbox), Host: 'example.com' })
    await caller.steer('GET', '/clock')
    expect(told.map(({ method, path, status, errorCode }) => [method, path, status, errorCode])).toEqual([
      ['POST', '/delivery/v1/deliveries', 201, undefined],
      ['GET', '/delivery/v1/deliveries/del_missing', 404, 'DELIVERY_NOT_FOUND'],
      ['GET', '/delivery/v1/capabilities', 403, 'SANDBOX_ONLY'],
    ])
  })

  test('makes mock deliveries in every state', async () => {
    const { caller } = await startTestSandbox()
    const seeded = await caller.steer('POST', '/seed', { count: 300 })
    expect(seeded).toMatchObject({
      created: 300,
      byStatus: { delivered: expect.any(Number), cancelled: expect.any(Number) },
    })
    expect(await caller.steer('GET', '/status')).toMatchObject({ deliveries: 300 })
    const { body } = await caller.get('/deliveries?from=2020-01-01T00:00:00Z&status=delivered&limit=100')
    expect((body.deliveries as unknown[]).length).toBe((seeded.byStatus as { delivered: number }).delivered)
  })

  test('makes mock deliveries without drivers, too', async () => {
    const { caller } = await startTestSandbox()
    await caller.steer('POST', '/capacity', { available: 0 })
    expect(await caller.steer('POST', '/seed', { count: 3 })).toMatchObject({ byStatus: { dispatch_failed: 3 } })
  })
})

describe('the virtual clock', () => {
  test('advances, is set, runs faster, and continues from there', async () => {
    let nowMs = Date.parse('2026-06-01T12:00:00Z')
    const { caller } = await startTestSandbox({ clock: { now: () => nowMs } })
    const now = async () => (await caller.steer('GET', '/clock')).now
    expect(await now()).toBe('2026-06-01T12:00:00.000Z')
    await caller.steer('POST', '/clock', { advance: '1h30m' })
    expect(await now()).toBe('2026-06-01T13:30:00.000Z')
    await caller.steer('POST', '/clock', { set: '2027-03-14T06:59:59Z' })
    nowMs += 1_000
    expect(await now()).toBe('2027-03-14T07:00:00.000Z')
    await caller.steer('POST', '/clock', { scale: 60 })
    nowMs += 1_000
    expect(await now()).toBe('2027-03-14T07:01:00.000Z')
    for (const bad of [
      { advance: 'soon' },
      { advance: '-1h' },
      { set: 'noon' },
      { advance: '1h', set: '2027-01-01T00:00:00Z' },
      {},
    ]) {
      expect((await caller.trySteer('POST', '/clock', bad)).status).toBe(400)
    }
  })

  test('moves deliveries and retries in one order', async () => {
    const { caller } = await startTestSandbox()
    const receiver = await startTestReceiver((_, count) => (count === 1 ? 500 : 204))
    await caller.steer('POST', '/endpoints', { url: receiver.url })
    await caller.create(testOrder({ metadata: { sandbox_pace: 'robo' } }))
    await caller.steer('POST', '/clock', { advance: '1m' })
    expect(receiver.types.slice(0, 3)).toEqual(['delivery.accepted', 'delivery.accepted', 'delivery.driver_assigned'])
  })

  test('expires a quote after fifteen minutes', async () => {
    const noonMs = Date.parse('2027-01-13T17:00:00Z')
    const { caller } = await startTestSandbox({ clock: { now: () => noonMs } })
    const order = testOrder()
    const quoteOf = async () => {
      const { body } = await caller.post('/quotes', order)
      return (body.quotes as { quoteId: string }[])[0]?.quoteId
    }
    const [early, late] = [await quoteOf(), await quoteOf()]
    await caller.steer('POST', '/clock', { advance: '14m' })
    expect((await caller.create(testOrder({ quoteId: early }))).status).toBe(201)
    await caller.steer('POST', '/clock', { advance: '2m' })
    expect((await caller.create(testOrder({ quoteId: late }))).code).toBe('QUOTE_EXPIRED')
  })

  test.each([-1, 1e20, Number.NaN])('cannot run %d times as fast', (timeScale) => {
    expect(() => createSandbox({ timeScale })).toThrow(/timeScale must be a number from 0 to 1,000,000/)
  })

  test('stops in the year 9000 when it ran too fast, and can be set back', async () => {
    let realMs = Date.parse('2026-03-02T15:00:00Z')
    const { caller } = await startTestSandbox({ timeScale: 1_000_000, clock: { now: () => realMs } })
    realMs += 365 * 86_400_000
    expect((await caller.get('/health')).body.checkedAt).toBe('9000-01-01T00:00:00.000Z')
    expect(await caller.steer('POST', '/clock', { set: '2026-03-02T15:00:00Z', scale: 1 })).toMatchObject({
      now: '2026-03-02T15:00:00.000Z',
    })
    const tooFar = caller.steer('POST', '/clock', { set: '9000-01-01T00:00:01Z' })
    await expect(tooFar).rejects.toThrow(/before the year 9000/)
  })

  test('drives what falls due while it runs fast', async () => {
    const { sandbox, caller } = await startTestSandbox({ timeScale: 3_600 })
    const { body } = await caller.create(testOrder({ metadata: { sandbox_pace: 'fast' } }))
    await expect
      .poll(async () => (await caller.get(`/deliveries/${body.deliveryId}`)).body.status, { timeout: 5_000 })
      .toBe('delivered')
    await sandbox.settled()
  })
})

describe('pages', () => {
  test('show a delivery and its proofs', async () => {
    const { caller } = await startTestSandbox()
    const { body } = await caller.create(testOrder({ verification: { dropoff: { photo: { level: 'required' } } } }))
    await caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'delivered' })
    const shown = await caller.get(`/deliveries/${body.deliveryId}`)
    const page = await fetch(String(shown.body.trackingUrl))
    const html = await page.text()
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(html).toContain('<html lang="en">')
    expect(html).toContain('Delivered')
    const [proof] = shown.body.proofOfDelivery as { url: string }[]
    const image = await fetch(String(proof?.url))
    expect(image.headers.get('Content-Type')).toBe('image/svg+xml')
    expect(await image.text()).toContain('PHOTO')
    expect((await fetch(String(proof?.url).replace('photo', 'signature'))).status).toBe(404)
    expect(html).toContain(`<img src="/proofs/${body.deliveryId}/photo.svg"`)
    expect(html).not.toContain('http-equiv="refresh"')
  })

  test('answer at the addresses that are shown after a restart on another port', async () => {
    const data = join(createTempDir(), 'sandbox.db')
    const before = await startTestSandbox({ data })
    const verification = { dropoff: { photo: { level: 'required' } } }
    const { body } = await before.caller.create(testOrder({ verification }))
    await before.caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'delivered' })
    await before.sandbox.close()
    const { caller } = await startTestSandbox({ data })
    const shown = (await caller.get(`/deliveries/${body.deliveryId}`)).body
    const [proof] = shown.proofOfDelivery as { url: string }[]
    const answers = await Promise.all([shown.trackingUrl, proof?.url].map((url) => fetch(String(url))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  test('tell what is still to come, and what went wrong', async () => {
    const { caller } = await startTestSandbox()
    const { body } = await caller.create(testOrder())
    const stepsAfter = async (change: Record<string, unknown>) => {
      await caller.post(`/deliveries/${body.deliveryId}/simulate`, change)
      const html = await (await fetch(String(body.trackingUrl))).text()
      const steps = [...html.matchAll(/<li class="(\w+)"[^>]*>([^<]+)/g)].map(
        ([, state, label]) => `${state}: ${label}`,
      )
      return { html, steps }
    }
    const underWay = await stepsAfter({ advanceTo: 'driver_enroute_to_dropoff' })
    expect(underWay.steps.slice(-4)).toEqual([
      'done: Picked up',
      'current: On the way to you',
      'todo: Driver has arrived',
      'todo: Delivered',
    ])
    expect(underWay.html).toContain('http-equiv="refresh"')
    const failed = await stepsAfter({ advanceTo: 'failed', statusReasonCode: 'denied_at_gate' })
    expect(failed.steps.slice(-2)).toEqual(['done: On the way to you', 'trouble: Could not be delivered'])
    expect(failed.html).toContain('<small>The driver was turned away at the gate.</small>')
  })
})

describe('a sandbox without a socket', () => {
  test('moves deliveries by the time that has passed, and leaves their webhooks to whoever sends them', async () => {
    const data = join(createTempDir(), 'asked.db')
    let nowMs = Date.parse('2027-01-13T17:00:00Z')
    const clock = { now: () => nowMs }
    const receiver = await startTestReceiver()
    const ask = async <Result>(work: (caller: Caller) => Promise<Result>) => {
      const sandbox = createSandbox({ data, clock })
      const result = await work(new Caller(sandbox))
      await sandbox.close()
      return result
    }
    const [paced, instant] = await ask(async (caller) => {
      await caller.steer('POST', '/endpoints', { url: receiver.url })
      const created = [
        await caller.create(testOrder({ metadata: { sandbox_pace: 'robo' } })),
        await caller.create(testOrder({ metadata: { sandbox_pace: 'instant' } })),
      ]
      return created.map(({ body }) => String(body.deliveryId))
    })
    const statusOf = (id = '') => ask(async (caller) => (await caller.get(`/deliveries/${id}`)).body.status)
    expect([await statusOf(paced), await statusOf(instant)]).toEqual(['accepted', 'delivered'])
    nowMs += 95_000
    expect(await statusOf(paced)).toBe('driver_at_pickup')
    expect(receiver.received).toHaveLength(0)
    const { sandbox } = await startTestSandbox({ data, clock })
    await sandbox.settled()
    expect(receiver.types).toContain('delivery.delivered')
    expect(receiver.types).toContain('delivery.driver_at_pickup')
  })

  test('is steered by its own process', async () => {
    const sandbox = createSandbox()
    expect(await sandbox.steer('POST', '/clock', { set: '2030-01-01T00:00:00Z' })).toMatchObject({ scale: 1 })
    expect(await sandbox.steer('GET', '/capacity')).toEqual({ available: null })
    await expect(sandbox.steer('POST', '/outage', { on: 1 })).rejects.toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      fieldErrors: [{ field: 'on', message: 'must be true or false' }],
    })
    await sandbox.close()
  })

  test('answers requests of its process alike', async () => {
    const sandbox = createSandbox({ rateLimit: 'off' })
    const caller = new Caller(sandbox)
    const receiver = await startTestReceiver()
    await caller.steer('POST', '/endpoints', { url: receiver.url })
    const { body } = await caller.create(testOrder())
    await caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'delivered' })
    expect(receiver.received).toHaveLength(0)
    sandbox.startOutbox()
    await sandbox.settled()
    expect(receiver.received).toHaveLength(9)
    await expect(caller.get('/teams', { headers: { 'X-Sandbox-Force': 'RESET' } })).rejects.toThrow('fetch failed')
    await expect(caller.get('/teams', { headers: { 'X-Sandbox-Force': 'TRUNCATE' } })).rejects.toThrow()
    const hanging = caller.get('/teams', { headers: { 'X-Sandbox-Force': 'HANG' } })
    const outcome = expect(hanging).rejects.toThrow('closed')
    await sandbox.close()
    await outcome
  })

  test('gives the same identifiers with the same seed', async () => {
    const idsOf = async () => {
      const sandbox = createSandbox({ seed: 5, clock: { now: () => Date.parse('2026-06-01T12:00:00Z') } })
      const { body } = await new Caller(sandbox).create(testOrder({ clientOrderReference: 'same' }))
      await sandbox.close()
      return body.deliveryId
    }
    expect(await idsOf()).toBe(await idsOf())
  })
})

describe('typed steering', () => {
  test('moves the clock, keeps the state and sets faults', async () => {
    await using sandbox = createSandbox()
    const { now } = await sandbox.clock.set(new Date('2026-03-02T15:00:00Z'))
    expect(now).toMatch(/^2026-03-02T15:00:0/)
    expect(await sandbox.clock.scale(0)).toMatchObject({ scale: 0 })
    expect((await sandbox.snapshot.save('before')).bytes).toBeGreaterThan(0)
    await sandbox.clock.advance('2h')
    await sandbox.snapshot.restore('before')
    expect((await sandbox.clock.now()).now).toMatch(/^2026-03-02T15:00:0/)
    expect((await sandbox.snapshot.list()).map(({ name }) => name)).toEqual(['before'])
    await sandbox.faults.set([{ operation: 'createQuote', force: 'QUOTE_EXPIRED' }])
    await sandbox.force('RESET', { operation: 'getHealth', times: 2 })
    expect((await sandbox.faults.list()).rules).toMatchObject([
      { operation: 'createQuote', force: 'QUOTE_EXPIRED' },
      { operation: 'getHealth', force: 'RESET', times: 2 },
    ])
    await sandbox.faults.clear()
    expect((await sandbox.faults.list()).rules).toEqual([])
  })

  test('rejects a mistake with its reason, never by throwing at once', async () => {
    await using sandbox = createSandbox()
    await expect(sandbox.clock.set(new Date(Number.NaN))).rejects.toThrow('an invalid Date')
    await expect(sandbox.clock.advance('soon')).rejects.toThrow('advance must be a duration such as 25h')
    await expect(sandbox.force('NOPE')).rejects.toThrow(
      'rules[0].force cannot be read: "NOPE" is not an error code, a reason, an outcome or a fault.',
    )
    await expect(sandbox.snapshot.restore('none')).rejects.toMatchObject({ status: 404 })
  })
})
