import { beforeAll, describe, expect, test } from 'vitest'
import { errorCodes, noQuoteReasons, statusReasonCodes } from '../../src/contract/index.js'
import { createTestQuote, testOrder } from '../support/sandbox/orders.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import {
  detourPhones,
  installations,
  noQuotes,
  phones,
  refusals,
  refusedPhones,
  transportFaults,
  webhookFaults,
} from '../support/sandbox/tables.js'

/** A Wednesday at noon in North Carolina: stores are open. */
const noonMs = Date.parse('2027-01-13T17:00:00Z')

const { caller } = serveSandbox({ clock: { now: () => noonMs } })

describe('the catalogue of magic values', () => {
  const values: Record<string, string[]> = {}
  const effects: Record<string, string> = {}
  beforeAll(async () => {
    const rows = (await caller.steer('GET', '/magic')) as unknown as Record<'channel' | 'value' | 'effect', string>[]
    for (const { channel, value, effect } of rows) {
      values[channel] = [...(values[channel] ?? []), value]
      effects[value] = effect
    }
  })
  const sorted = (list: Iterable<string>) => [...new Set(list)].sort()

  test.each<[string, string[]]>([
    ['phone', [...phones.map(([, phone]) => phone), ...detourPhones, ...refusedPhones]],
    ['store', [...Object.keys(refusals.store), ...noQuotes.map(([, store]) => store), 'STORE-SLOW']],
    ['zip', [...Object.keys(refusals.zip), ...noQuotes.map(([, , zip]) => zip)]],
    ['installation', Object.keys(installations)],
    ['webhook fault', webhookFaults],
    ['address line', ['1 Nowhere Sandbox Way']],
    ['cargo', ['sandbox_unsupported']],
    ['team', ['team_invalid']],
    ['quoteId', ['qot_expired']],
    ['idempotency key', ['idem-reused-<anything>', 'idem-conflict-<anything>']],
  ])('holds every %s of the tables and no other', (channel, expected) => {
    expect(sorted(values[channel] ?? [])).toEqual(sorted(expected))
  })

  test('says how each account differs from the default one', () => {
    expect(effects).toMatchObject({
      dlvk_sbx_marketplace: 'marketplace: the default account',
      dlvk_sbx_ownedfleet: 'owned_fleet: a fleet of its own: teams, drivers, the dispatch block',
      dlvk_sbx_noquotes: 'marketplace: without quotes',
      dlvk_sbx_slow: 'marketplace: 1 a second',
      dlvk_live_demo: 'marketplace: live mode: no simulation',
    })
  })

  test('holds everything that a header can force', () => {
    const tokens = (values.header ?? []).map((value) => value.replace('X-Sandbox-Force: ', ''))
    for (const token of [...errorCodes, ...noQuoteReasons, ...statusReasonCodes, ...transportFaults])
      expect(tokens).toContain(token)
  })
})

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
  )('%s is the scripted outcome of %s, of a prefix, of metadata and of a header', async (code, contactPhone, end, entry) => {
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
      const { status: ended, statusReasonCode, statusHistory } = now.body
      const before = (statusHistory as { status: string }[]).at(-2)?.status ?? ''
      expect([ended, statusReasonCode, before], now.text).toEqual([end, code, entry])
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

describe('what cannot be delivered', () => {
  const drive = async (contactPhone: string, end: string, changes: Record<string, unknown> = {}) => {
    const created = await caller.create(
      testOrder({ dropoff: { contactPhone }, metadata: { sandbox_pace: 'fast' }, ...changes }),
    )
    expect(created.status, created.text).toBe(201)
    await caller.steer('POST', '/clock', { advance: end === 'expired' ? '3h' : '50m' })
    const { body } = await caller.get(`/deliveries/${created.body.deliveryId}`)
    return { status: body.status, history: body.statusHistory as { status: string; statusReasonCode?: string }[] }
  }
  const codes = (rows: typeof phones) =>
    rows.flatMap(([code, phone]) => (code === undefined ? [] : [[code, phone] as const]))
  const failures = phones.filter(([, , end]) => end === 'failed')

  const toStore = { handling: { undeliverableAction: 'return_to_pickup' } }
  test.each(
    codes(failures.filter(([, , , , returns]) => returns === 'returnable')),
  )('%s of %s goes back to the store where the order says so', async (code, phone) => {
    const { status, history } = await drive(phone, 'returned', toStore)
    expect(status).toBe('returned')
    expect(history.slice(-3).map((step) => [step.status, step.statusReasonCode])).toEqual([
      ['failed', code],
      ['return_in_progress', code],
      ['returned', undefined],
    ])
  })

  test.each(
    codes(failures.filter(([, , , , returns]) => returns === undefined)),
  )('%s of %s has nothing to bring back', async (_, phone) => {
    expect((await drive(phone, 'failed', toStore)).status).toBe('failed')
  })

  const elsewhere = { handling: { undeliverableAction: 'fallback_handoff', fallbackHandoff: 'visitor_center' } }
  const otherCodes = /gate|credential|fpcon|escort|verification/
  test.each(
    codes(failures.filter(([code = '']) => code.startsWith('recipient_') || otherCodes.test(code))),
  )('%s of %s is handed over at the fallback if the recipient is the reason', async (code, phone) => {
    const { status } = await drive(phone, 'delivered', elsewhere)
    expect(status).toBe(otherCodes.test(code) ? 'failed' : 'delivered')
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
  const answers: [string, unknown, Record<string, unknown>][] = [
    ['ZZCLOSED', at('ZZCLOSED'), { reasonCode: 'installation_not_accepting_deliveries' }],
    ['ZZNOTSERVED', at('ZZNOTSERVED'), { reasonCode: 'installation_not_served' }],
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

describe('an invented installation', () => {
  beforeAll(() => caller.steer('POST', '/clock', { set: new Date(noonMs).toISOString() }))

  test.each(Object.entries(installations))('%s answers an order with %s', async (code, expected) => {
    const reply = await caller.create(testOrder({ dropoff: { installation: { code } } }))
    expect(reply.status === 201 ? 201 : reply.code).toBe(expected)
  })

  test.each(
    Object.entries(installations).filter(([, expected]) => expected !== 'NO_CREDENTIALED_DRIVER_AVAILABLE'),
  )('%s answers a quote alike', async (code, expected) => {
    const reply = await caller.post('/quotes', createTestQuote({ dropoff: { installation: { code } } }))
    expect(reply.status === 200 ? 201 : reply.code).toBe(expected)
  })

  test('ZZGATECLOSED fails at its gate', async () => {
    const dropoff = { installation: { code: 'ZZGATECLOSED' }, contactPhone: '+19105550142' }
    const created = await caller.create(testOrder({ dropoff, metadata: { sandbox_pace: 'fast' } }))
    await caller.steer('POST', '/clock', { advance: '30m' })
    const { body } = await caller.get(`/deliveries/${created.body.deliveryId}`)
    expect(body).toMatchObject({ status: 'failed', statusReasonCode: 'gate_closed' })
  })

  test('refuses orders when nobody holds a credential for it any more', async () => {
    const { caller: own } = await startTestSandbox({ clock: { now: () => noonMs } })
    const order = () => testOrder({ dropoff: { installation: { code: 'FTBRAGG' } } })
    expect((await own.create(order())).status).toBe(201)
    const drivers = await own.as('dlvk_sbx_ownedfleet').get('/drivers')
    for (const { id } of drivers.body as unknown as { id: string }[])
      await own.steer('PUT', `/drivers/${id}`, { credentials: [] })
    expect((await own.create(order())).code).toBe('NO_CREDENTIALED_DRIVER_AVAILABLE')
  })
})
