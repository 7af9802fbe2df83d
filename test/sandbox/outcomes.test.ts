import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statusReasonCodes } from '../../src/contract/index.js'
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.js'
import { Caller } from '../support/sandbox/caller.js'
import { createTestQuote, testOrder } from '../support/sandbox/orders.js'
import { noQuotes, phones } from '../support/sandbox/tables.js'

let sandbox: RunningSandbox
let caller: Caller

beforeAll(async () => {
  sandbox = await startSandbox({ rateLimit: 'off' })
  caller = new Caller(sandbox)
})
afterAll(() => sandbox.close())

describe('no quote', () => {
  test.each(
    noQuotes,
  )('%s is reached by a store, a ZIP, a prefix and a header', async (reason, storeReference, postalCode) => {
    const offContract = reason === 'outside_service_area' || reason === 'MARKET_PAUSED'
    const replies = [
      await caller.post('/quotes', createTestQuote({ pickup: { storeReference } }), { offContract }),
      await caller.post('/quotes', createTestQuote({ dropoff: { address: { postalCode } } }), { offContract }),
      await caller.post('/quotes', createTestQuote({ clientOrderReference: `sbx-${reason}-1` }), { offContract }),
      await caller.post('/quotes', createTestQuote(), { headers: { 'X-Sandbox-Force': reason }, offContract }),
    ]
    for (const { status, body } of replies) {
      expect({ status, quotes: body.quotes, reason: body.noQuoteReason, expiresAt: body.expiresAt }).toEqual({
        status: 200,
        quotes: [],
        reason,
        expiresAt: null,
      })
    }
  })

  test('OUTSIDE_COVERAGE comes by itself beyond 40 km, REQUIREMENT_UNSUPPORTED above 22.7 kg', async () => {
    const address = { line1: '1 Main St', city: 'Boston', state: 'MA', postalCode: '02108' }
    const far = await caller.post('/quotes', createTestQuote({ dropoff: { address } }))
    const heavy = await caller.post('/quotes', createTestQuote({ package: { weightGrams: 22_701 } }))
    const uncredentialed = await caller.post(
      '/quotes',
      createTestQuote({ dropoff: { installation: { code: 'ZZNODRIVER' } } }),
    )
    expect(far.body.noQuoteReason).toBe('OUTSIDE_COVERAGE')
    expect(heavy.body.noQuoteReason).toBe('REQUIREMENT_UNSUPPORTED')
    expect(uncredentialed.body.noQuoteReason).toBe('REQUIREMENT_UNSUPPORTED')
  })

  test('NO_CAPACITY comes by itself when no driver is available', async () => {
    await caller.steer('POST', '/capacity', { available: 0 })
    const reply = await caller.post('/quotes', createTestQuote())
    const created = await caller.create(testOrder())
    await caller.steer('POST', '/capacity', { available: null })
    expect(reply.body.noQuoteReason).toBe('NO_CAPACITY')
    expect(created.body).toMatchObject({ status: 'dispatch_failed', statusReasonCode: 'no_carrier_available' })
  })
})

describe('a reason code', () => {
  test('is in the table for every code of the contract', () => {
    expect(new Set(phones.flatMap(([code]) => code ?? []))).toEqual(new Set(statusReasonCodes))
  })

  test.each(
    phones,
  )('%s is the scripted outcome of %s, of a prefix, of metadata and of a header', async (code, contactPhone, end) => {
    const metadata = { sandbox_pace: 'fast' }
    const orders = [testOrder({ dropoff: { contactPhone }, metadata })]
    const forced = code ?? 'delivered'
    if (code !== undefined) {
      orders.push(testOrder({ clientOrderReference: `sbx-${code}-${Math.random()}`, metadata }))
      orders.push(testOrder({ metadata: { ...metadata, sandbox_outcome: code } }))
    }
    const created = await Promise.all(orders.map((order) => caller.create(order)))
    if (code !== undefined) {
      created.push(await caller.create(testOrder({ metadata }), { headers: { 'X-Sandbox-Force': forced } }))
    }
    await caller.steer('POST', '/clock', { advance: end === 'expired' ? '3h' : '30m' })
    for (const { status, body } of created) {
      expect(status).toBe(201)
      const now = await caller.get(`/deliveries/${body.deliveryId}`)
      expect({ status: now.body.status, code: now.body.statusReasonCode }, now.text).toEqual({ status: end, code })
    }
  })

  test.each(
    phones.filter(([, , end]) => end === 'failed'),
  )('%s of %s is what a simulated failure gives by default', async (code, contactPhone) => {
    const created = await caller.create(testOrder({ dropoff: { contactPhone } }))
    const path = `/deliveries/${created.body.deliveryId}`
    await caller.post(`${path}/simulate`, { advanceTo: 'failed' })
    expect((await caller.get(path)).body.statusReasonCode).toBe(code)
  })
})

describe('a detour', () => {
  const statusesOf = async (contactPhone: string, offContract = false) => {
    const created = await caller.create(testOrder({ dropoff: { contactPhone }, metadata: { sandbox_pace: 'fast' } }))
    await caller.steer('POST', '/clock', { advance: '30m' })
    const { body } = await caller.get(`/deliveries/${created.body.deliveryId}`, { offContract })
    return {
      id: String(created.body.deliveryId),
      status: body.status,
      history: (body.statusHistory as { status: string }[]).map((entry) => entry.status),
    }
  }

  test('+12025550190 loses its driver once and is delivered', async () => {
    const { status, history } = await statusesOf('+12025550190')
    expect(status).toBe('delivered')
    expect(history.filter((name) => name === 'reassigning')).toHaveLength(1)
  })

  test('+12025550191 finds no driver until it is updated', async () => {
    const { id, status } = await statusesOf('+12025550191')
    expect(status).toBe('dispatch_failed')
    await caller.patch(`/deliveries/${id}`, {})
    await caller.steer('POST', '/clock', { advance: '3h' })
    expect((await caller.get(`/deliveries/${id}`)).body.status).toBe('delivered')
  })

  test('+12025550192 gets its pickup only with the next status, as if inferred', async () => {
    const { id, history } = await statusesOf('+12025550192')
    const { body } = await caller.get(`/events?deliveryId=${id}`)
    const times = Object.fromEntries(
      (body.events as { eventType: string; occurredAt: string }[]).map(({ eventType, occurredAt }) => [
        eventType,
        Date.parse(occurredAt),
      ]),
    )
    expect(history).toContain('pickup_complete')
    expect(Number(times['delivery.driver_enroute_to_dropoff']) - Number(times['delivery.pickup_complete'])).toBe(1)
  })

  test('+12025550193 passes through a status that nobody knows', async () => {
    const { history } = await statusesOf('+12025550193', true)
    expect(history).toContain('driver_paused')
    expect(history.at(-1)).toBe('delivered')
  })
})

describe('serviceability', () => {
  const at = (code: string, more: Record<string, unknown> = {}) => ({ dropoff: { installation: { code } }, ...more })
  const address = (fields: Record<string, string>) => ({
    dropoff: { address: { line1: '1 Main St', city: 'Fayetteville', state: 'NC', postalCode: '28301', ...fields } },
  })
  const answers: [string, unknown, Record<string, unknown>][] = [
    ['ZZOK', at('ZZOK'), { serviceable: true }],
    ['ZZGATECLOSED', at('ZZGATECLOSED'), { reasonCode: 'gate_closed', retryAfter: expect.any(String) }],
    [
      'ZZFPCON',
      at('ZZFPCON'),
      { reasonCode: 'fpcon_elevated', installation: { fpconLevel: 'charlie' }, retryAfter: expect.any(String) },
    ],
    ['ZZCLOSED', at('ZZCLOSED'), { reasonCode: 'installation_not_accepting_deliveries' }],
    ['ZZNOTSERVED', at('ZZNOTSERVED'), { reasonCode: 'installation_not_served' }],
    [
      'ZZNODRIVER',
      at('ZZNODRIVER'),
      { reasonCode: 'no_credentialed_driver_available', credentialedDriversAvailable: false },
    ],
    [
      'ZZNOPHOTO',
      at('ZZNOPHOTO'),
      { serviceable: true, suppressedProofTypes: ['photo'], permittedProofTypes: ['signature', 'pin_code', 'barcode'] },
    ],
    ['ZZNOPHOTOSIG', at('ZZNOPHOTOSIG'), { serviceable: true, permittedProofTypes: ['barcode'] }],
    [
      'ZZDRY with alcohol',
      at('ZZDRY', { package: { contains: ['alcohol'] } }),
      { reasonCode: 'prohibited_cargo_for_destination' },
    ],
    ['ZZDRY without', at('ZZDRY'), { serviceable: true }],
    [
      'ZZGATEONLY at the desk',
      { dropoff: { installation: { code: 'ZZGATEONLY' }, unit: { deliveryPoint: 'cq_desk' } } },
      { reasonCode: 'unsupported_delivery_point' },
    ],
    [
      'ZZGATEONLY at the gate',
      { dropoff: { installation: { code: 'ZZGATEONLY' }, unit: { deliveryPoint: 'gate_handoff' } } },
      { serviceable: true },
    ],
    [
      'military mail',
      address({ city: 'APO', state: 'AE', postalCode: '09012' }),
      { reasonCode: 'unsupported_destination_type' },
    ],
    ['ZIP 99952', address({ postalCode: '99952' }), { reasonCode: 'outside_service_area' }],
    ['an ordinary address', address({}), { serviceable: true }],
    ['ZZESCORT at night', at('ZZESCORT', { deliverAt: '2027-01-13T08:00:00Z' }), { reasonCode: 'escort_unavailable' }],
    ['ZZESCORT by day', at('ZZESCORT', { deliverAt: '2027-01-13T16:00:00Z' }), { serviceable: true }],
  ]

  test.each(answers)('%s is evaluated', async (_, request, expected) => {
    const reply = await caller.post('/serviceability', request)
    expect(reply.status, reply.text).toBe(200)
    const serviceable = expected.serviceable === true
    expect(reply.body).toMatchObject({ ...expected, serviceable })
    if (serviceable) expect(reply.body).not.toHaveProperty('reasonCode')
  })

  test('ZZFLAP changes at every read and says so', async () => {
    await caller.create(testOrder({ dropoff: { installation: { code: 'ZZFLAP' } } }))
    const before = await caller.get('/installations/ZZFLAP')
    const after = await caller.get('/installations/ZZFLAP')
    expect(after.body.policyUpdatedAt).toBeDefined()
    expect({ ...after.body, policyUpdatedAt: 0 }).not.toEqual({ ...before.body, policyUpdatedAt: 0 })
    const events = await caller.get('/events?eventType=installation.access_policy_changed')
    expect((events.body.events as unknown[]).length).toBeGreaterThan(0)
  })

  test('fixture installations stay out of the list unless their state is asked for', async () => {
    const all = await caller.get('/installations?limit=100')
    const hidden = await caller.get('/installations?state=ZZ&limit=100')
    expect((all.body.installations as { state: string }[]).some(({ state }) => state === 'ZZ')).toBe(false)
    expect((hidden.body.installations as unknown[]).length).toBeGreaterThan(10)
  })
})
