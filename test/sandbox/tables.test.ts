import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorCodes, noQuoteReasons, statusReasonCodes } from '../../src/contract/index.js'
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.js'
import { Caller } from '../support/sandbox/caller.js'
import { createTestQuote, testOrder } from '../support/sandbox/orders.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'
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

let sandbox: RunningSandbox
let caller: Caller

/** A Wednesday at noon in North Carolina: stores are open. */
const noonMs = Date.parse('2027-01-13T17:00:00Z')
const clock = { now: () => noonMs }

beforeAll(async () => {
  sandbox = await startSandbox({ rateLimit: 'off', clock })
  caller = new Caller(sandbox)
})
afterAll(() => sandbox.close())

describe('the catalogue of magic values', () => {
  const values: Record<string, string[]> = {}
  beforeAll(async () => {
    const rows = (await caller.steer('GET', '/magic')) as unknown as { channel: string; value: string }[]
    for (const { channel, value } of rows) values[channel] = [...(values[channel] ?? []), value]
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

  test('holds everything that a header can force', () => {
    const tokens = (values.header ?? []).map((value) => value.replace('X-Sandbox-Force: ', ''))
    for (const token of [...errorCodes, ...noQuoteReasons, ...statusReasonCodes, ...transportFaults])
      expect(tokens).toContain(token)
  })
})

describe('the scripted outcome of a phone', () => {
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

  test.each(phones)('%s of %s ends in %s after "%s"', async (_, phone, end, entry) => {
    const { status, history } = await drive(phone, end)
    expect(status).toBe(end)
    expect(history.at(-2)?.status ?? '').toBe(entry)
  })

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

describe('an invented installation', () => {
  const at = (code: string, more: Record<string, unknown> = {}) =>
    testOrder({ dropoff: { installation: { code } }, ...more })
  const inHours = (hours: number) => new Date(noonMs + hours * 3_600_000).toISOString()
  beforeAll(() => caller.steer('POST', '/clock', { set: inHours(0) }))

  test.each(Object.entries(installations))('%s answers an order with %s', async (code, expected) => {
    const reply = await caller.create(at(code))
    expect(reply.status === 201 ? 201 : reply.code).toBe(expected)
  })

  test.each(
    Object.entries(installations).filter(([, expected]) => expected !== 'NO_CREDENTIALED_DRIVER_AVAILABLE'),
  )('%s answers a quote alike', async (code, expected) => {
    const reply = await caller.post('/quotes', createTestQuote({ dropoff: { installation: { code } } }))
    expect(reply.status === 200 ? 201 : reply.code).toBe(expected)
  })

  test('ZZGATECLOSED fails at its gate, and takes no window in which it stays shut', async () => {
    const dropoff = { installation: { code: 'ZZGATECLOSED' }, contactPhone: '+19105550142' }
    const created = await caller.create(testOrder({ dropoff, metadata: { sandbox_pace: 'fast' } }))
    await caller.steer('POST', '/clock', { advance: '30m' })
    const { body } = await caller.get(`/deliveries/${created.body.deliveryId}`)
    expect(body).toMatchObject({ status: 'failed', statusReasonCode: 'gate_closed' })
    const { body: stop } = await caller.post('/serviceability', { dropoff: { installation: { code: 'ZZGATECLOSED' } } })
    const opens = Date.parse(String(stop.retryAfter))
    const window = (start: number, end: number) => ({
      timeWindows: {
        deliveryMode: 'scheduled',
        dropoff: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
      },
    })
    const shut = await caller.create(at('ZZGATECLOSED', window(opens - 7_200_000, opens - 3_600_000)))
    expect([shut.status, shut.code]).toEqual([422, 'INVALID_TIME_CONSTRAINT'])
    const open = await caller.create(at('ZZGATECLOSED', window(opens - 3_600_000, opens + 60_000)))
    expect(open.status, open.text).toBe(201)
  })

  test('ZZNOPHOTO enforces the substitute, ZZNOPHOTOSIG one that is allowed there', async () => {
    const photo = (substituteWhenProhibited?: string) => ({
      verification: { dropoff: { photo: { level: 'required', substituteWhenProhibited } } },
      metadata: { sandbox_pace: 'fast' },
    })
    const [signed, refused, scanned] = [
      await caller.create(at('ZZNOPHOTO', photo('signature'))),
      await caller.create(at('ZZNOPHOTOSIG', photo('signature'))),
      await caller.create(at('ZZNOPHOTOSIG', photo('barcode'))),
    ]
    expect(signed.body.resolvedVerification).toMatchObject({
      dropoff: { signature: { level: 'required' } },
      suppressed: [{ mechanism: 'photo', substitutedBy: 'signature' }],
    })
    await caller.steer('POST', '/clock', { advance: '2h' })
    const ends = await Promise.all(
      [signed, refused, scanned].map(({ body }) => caller.get(`/deliveries/${body.deliveryId}`)),
    )
    expect(ends.map(({ body }) => [body.status, body.statusReasonCode])).toEqual([
      ['delivered', undefined],
      ['failed', 'photography_prohibited_no_substitute'],
      ['delivered', undefined],
    ])
  })

  test('ZZGATEONLY refuses an order for another point, ZZDRY one with alcohol', async () => {
    const desk = await caller.create(
      testOrder({ dropoff: { installation: { code: 'ZZGATEONLY' }, unit: { deliveryPoint: 'cq_desk' } } }),
    )
    expect([desk.status, desk.code]).toEqual([422, 'VALIDATION_ERROR'])
    const gate = { installation: { code: 'ZZGATEONLY' }, unit: { deliveryPoint: 'gate_handoff' } }
    expect((await caller.create(testOrder({ dropoff: gate }))).status).toBe(201)
    const wine = await caller.create(at('ZZDRY', { package: { contains: ['alcohol'] } }))
    expect(wine.code).toBe('PROHIBITED_CARGO_FOR_DESTINATION')
  })

  test('military mail and a place too far away are refused on create', async () => {
    const mail = testOrder({ dropoff: { address: { city: 'FPO', state: 'AP', postalCode: '96540' } } })
    expect((await caller.create(mail)).code).toBe('UNSUPPORTED_DESTINATION')
    expect((await caller.create(testOrder({ dropoff: { address: { postalCode: '99952' } } }))).code).toBe(
      'NO_ELIGIBLE_PROVIDERS',
    )
  })

  test('windows that contradict each other are refused', async () => {
    const timeWindows = {
      deliveryMode: 'scheduled',
      pickup: { start: inHours(30), end: inHours(31) },
      dropoff: { start: inHours(28), end: inHours(29) },
    }
    expect((await caller.create(testOrder({ timeWindows }))).code).toBe('INVALID_TIME_CONSTRAINT')
  })
})

describe('an error comes by itself', () => {
  beforeAll(() => caller.steer('POST', '/clock', { set: '2027-01-14T17:00:00Z' }))

  test('VALIDATION_ERROR for a quote that was made for another store or ZIP code', async () => {
    const { body } = await caller.post('/quotes', createTestQuote())
    const [{ quoteId } = { quoteId: '' }] = body.quotes as { quoteId: string }[]
    const others = [
      { pickup: { storeReference: 'STORE-006' }, dropoff: { address: '1 Main St, Norfolk, VA 23505' } },
      { dropoff: { address: { postalCode: '28303' } } },
    ]
    for (const other of others) {
      const reply = await caller.create(testOrder({ quoteId, ...other }))
      expect([reply.status, reply.code], reply.text).toEqual([422, 'VALIDATION_ERROR'])
    }
    expect((await caller.create(testOrder({ quoteId }))).status).toBe(201)
  })

  test('QUOTE_EXPIRED a quarter of an hour after the quote', async () => {
    const { caller: own } = await startTestSandbox({ clock })
    const { body } = await own.post('/quotes', createTestQuote())
    const [{ quoteId } = { quoteId: '' }] = body.quotes as { quoteId: string }[]
    await own.steer('POST', '/clock', { advance: '15m' })
    expect((await own.create(testOrder({ quoteId }))).code).toBe('QUOTE_EXPIRED')
  })

  test('NO_CREDENTIALED_DRIVER_AVAILABLE when nobody holds a credential any more', async () => {
    const { caller: own } = await startTestSandbox({ clock })
    const order = () => testOrder({ dropoff: { installation: { code: 'FTBRAGG' } } })
    expect((await own.create(order())).status).toBe(201)
    const drivers = await own.as('dlvk_sbx_ownedfleet').get('/drivers')
    for (const { id } of drivers.body as unknown as { id: string }[])
      await own.steer('PUT', `/drivers/${id}`, { credentials: [] })
    expect((await own.create(order())).code).toBe('NO_CREDENTIALED_DRIVER_AVAILABLE')
  })

  test('PROHIBITED_CARGO_FOR_DESTINATION for alcohol to a dry installation', async () => {
    const dropoff = { installation: { code: 'FTIRWIN' } }
    const reply = await caller.create(testOrder({ dropoff, package: { contains: ['alcohol'] } }))
    expect(reply.code).toBe('PROHIBITED_CARGO_FOR_DESTINATION')
  })

  test('RATE_LIMIT_EXCEEDED and SERVICE_UNAVAILABLE from too many requests and from an outage', async () => {
    const { caller: own } = await startTestSandbox({ rateLimit: 3, clock })
    const replies = await Promise.all([1, 2, 3, 4].map(() => own.get('/teams')))
    expect(replies.map(({ code }) => code).filter(Boolean)).toEqual(['RATE_LIMIT_EXCEEDED'])
    await own.steer('POST', '/outage', { on: true })
    expect((await own.as('dlvk_sbx_fast').get('/teams')).code).toBe('SERVICE_UNAVAILABLE')
  })

  test('OUTSIDE_HOURS when the store is closed, REQUIREMENT_UNSUPPORTED when no level of service checks that', async () => {
    const { caller: own } = await startTestSandbox({ clock: { now: () => Date.parse('2027-01-13T08:00:00Z') } })
    expect((await own.post('/quotes', createTestQuote())).body).toMatchObject({
      quotes: [],
      noQuoteReason: 'OUTSIDE_HOURS',
    })
    const night = { deliveryMode: 'scheduled', pickup: { start: '2027-01-14T07:00:00Z', end: '2027-01-14T08:00:00Z' } }
    await own.steer('POST', '/clock', { set: '2027-01-13T17:00:00Z' })
    expect((await own.post('/quotes', createTestQuote())).body.quotes).not.toEqual([])
    expect((await own.post('/quotes', createTestQuote({ timeWindows: night }))).body.noQuoteReason).toBe(
      'OUTSIDE_HOURS',
    )
    expect((await own.create(testOrder({ timeWindows: night }))).code).toBe('INVALID_TIME_CONSTRAINT')
  })
})
