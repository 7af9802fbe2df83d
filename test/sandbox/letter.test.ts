import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { Caller } from '../support/sandbox/caller.js'
import { createTestQuote, testOrder } from '../support/sandbox/orders.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const nowMs = Date.parse('2027-01-13T17:00:00Z')
const dayMs = 86_400_000

const { caller } = serveSandbox({ clock: { now: () => nowMs } })

const ago = (ms: number) => new Date(nowMs - ms).toISOString()
const fieldsOf = (body: Record<string, unknown>) =>
  ((body.error as { details?: { fieldErrors?: { field: string }[] } }).details?.fieldErrors ?? []).map(
    ({ field }) => field,
  )

describe('a verification mechanism that does not exist is refused', () => {
  const verification = { dropoff: { photo: { level: 'preferred' }, retinaScan: { level: 'required' } } }

  test.each<[string, () => Promise<{ status: number; code: string | undefined; body: Record<string, unknown> }>]>([
    ['by create', () => caller.create(testOrder({ verification }))],
    ['by quotes', () => caller.post('/quotes', createTestQuote({ verification }))],
    [
      'by an update',
      async () => {
        const { body } = await caller.create(testOrder())
        return caller.patch(`/deliveries/${body.deliveryId}`, { verification: { dropoff: { retinaScan: {} } } })
      },
    ],
  ])('%s', async (_, ask) => {
    const { status, code, body } = await ask()
    expect([status, code]).toEqual([422, 'UNSUPPORTED_REQUIREMENT'])
    expect(fieldsOf(body)).toEqual(['verification.dropoff.retinaScan'])
  })

  test('while any other unknown field is ignored', async () => {
    expect((await caller.create(testOrder({ giftWrap: true, verification: { pickup: {} } }))).status).toBe(201)
  })
})

describe('an empty phone number is an invalid one', () => {
  test.each(['', ' ', '+'])('"%s"', async (contactPhone) => {
    const { body } = await caller.create(testOrder())
    const replies = [
      await caller.create(testOrder({ dropoff: { contactPhone } })),
      await caller.post('/quotes', createTestQuote({ dropoff: { contactPhone } })),
      await caller.patch(`/deliveries/${body.deliveryId}`, { dropoff: { contactPhone } }),
    ]
    for (const reply of replies) {
      expect([reply.status, reply.code]).toEqual([400, 'INVALID_PHONE_NUMBER'])
      expect(fieldsOf(reply.body)).toEqual(['dropoff.contactPhone'])
    }
  })
})

test.each<[string, Record<string, unknown>]>([
  ['clientOrderReference', { clientOrderReference: '   ' }],
  ['clientOrderReference', { clientOrderReference: '\t\n' }],
  ['dropoff.contactName', { dropoff: { contactName: ' ' } }],
  ['dropoff.address.line1', { dropoff: { address: { line1: ' ' } } }],
  ['dropoff.address.city', { dropoff: { address: { city: '\u00a0' } } }],
  ['dropoff.address', { dropoff: { address: '  ' } }],
])('a blank %s is refused', async (field, change) => {
  const reply = await caller.create(testOrder(change))
  expect([reply.status, reply.code]).toEqual([400, 'VALIDATION_ERROR'])
  expect(fieldsOf(reply.body)).toEqual([field])
  expect(reply.text).toContain('must not be empty or blank')
})

test('line2 is no field of an address', async () => {
  const order = testOrder({ dropoff: { address: { line2: 'Apt 4' } } })
  expect((await caller.create(order)).body).not.toHaveProperty('dropoff.address.line2')
  const strict = await startSandbox({ rateLimit: 'off', switches: { unknownFields: 'reject' } })
  const reply = await new Caller(strict).create(order)
  await strict.close()
  expect(fieldsOf(reply.body)).toEqual(['dropoff.address.line2'])
})

describe('since', () => {
  test('reaches 30 days back and no further', async () => {
    expect((await caller.get(`/events?since=${ago(30 * dayMs)}`)).status).toBe(200)
    const reply = await caller.get(`/events?since=${ago(30 * dayMs + 1)}`)
    expect([reply.status, fieldsOf(reply.body)]).toEqual([400, ['query.since']])
  })

  test('does not end the paging that began in time', async () => {
    let atMs = nowMs
    const moving = await startSandbox({ rateLimit: 'off', clock: { now: () => atMs } })
    const own = new Caller(moving)
    for (let count = 0; count < 3; count++) await own.create(testOrder())
    atMs += 30 * dayMs
    const since = new Date(nowMs).toISOString()
    const first = (await own.get(`/events?limit=1&since=${since}`)).body
    atMs += 1_000
    const next = await own.get(`/events?limit=1&since=${since}&cursor=${first.nextCursor}`)
    await moving.close()
    expect([next.status, (next.body.events as unknown[]).length]).toEqual([200, 1])
  })
})

test.each([
  'from=tomorrow',
  'from=2030-01-01T00:00:00Z&to=2020-01-01T00:00:00Z',
  'from=&to=',
  'from=a&from=b',
])('a lookup by reference ignores %s', async (ignored) => {
  const { body } = await caller.create(testOrder())
  const found = await caller.get(`/deliveries?clientOrderReference=${body.clientOrderReference}&${ignored}`)
  expect(found.body).toMatchObject({ deliveries: [{ deliveryId: body.deliveryId }] })
})

describe('an amount', () => {
  test('has no limit but that of an exact number', async () => {
    const large = { tipAmountCents: 2 ** 52, package: { valueCents: 2 ** 52, weightGrams: 22_000 } }
    const { status, body } = await caller.create(testOrder(large))
    expect(status).toBe(201)
    const { deliveryFeeCents, totalPriceCents } = body.pricing as Record<string, number>
    expect(totalPriceCents).toBe(2 ** 52 + Number(deliveryFeeCents))
    expect((await caller.create(testOrder({ tipAmountCents: 2 ** 52 + 1 }))).code).toBe('VALIDATION_ERROR')
  })

  test('of grams is a question for the providers', async () => {
    const reply = await caller.create(testOrder({ package: { weightGrams: 1_000_000_000 } }))
    expect([reply.status, reply.code]).toEqual([422, 'NO_ELIGIBLE_PROVIDERS'])
  })
})

describe('a control call', () => {
  test.each<[string, string, unknown, string]>([
    ['POST', '/clock', {}, 'must have "advance", "set" or "scale"'],
    ['PUT', '/installations/FTBRAGG', { fpconLevel: 'echo' }, 'must be one of normal, alpha, bravo, charlie, delta'],
    [
      'PUT',
      '/installations/FTBRAGG',
      { gates: { 1: { hours: 'soon' } } },
      'must be hours such as "Mon-Fri 05:00-21:00',
    ],
    ['PUT', '/installations/FTBRAGG', { gates: { 7: { hours: '24/7' } } }, 'FTBRAGG has 3 gates; the first one is 0.'],
    ['PUT', '/installations/FTBRAGG', { gates: { last: { hours: '24/7' } } }, 'is not a gate of the installation'],
  ])('%s %s of %j is refused', async (method, path, body, message) => {
    const before = await caller.steer('GET', '/clock')
    const reply = await caller.trySteer(method, path, body)
    expect([reply.status, reply.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(reply.text).toContain(JSON.stringify(message).slice(1, -1))
    expect((await caller.steer('GET', '/clock')).now).toBe(before.now)
    expect((await caller.get('/installations/FTBRAGG')).body.fpconLevel).toBe('normal')
  })
})

test('a driver that the list shows can be got, and no other', async () => {
  const { body } = await caller.create(testOrder())
  await caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'driver_assigned' })
  const listed = (await caller.get('/drivers')).body as unknown as { id: string }[]
  expect(listed.length).toBeGreaterThan(0)
  for (const driver of listed) expect((await caller.get(`/drivers/${driver.id}`)).body).toEqual(driver)
  const shown = new Set(listed.map(({ id }) => id))
  const fleet = (await caller.as('dlvk_sbx_ownedfleet').get('/drivers')).body as unknown as { id: string }[]
  const hidden = fleet.find(({ id }) => !shown.has(id))
  expect((await caller.get(`/drivers/${hidden?.id}`)).code).toBe('DRIVER_NOT_FOUND')
})

describe('a delivery that ends delivered carries', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['a photo by default', {}, ['photo']],
    ['what its verification asks for', { signature: {}, pinCode: { level: 'preferred' } }, ['signature', 'pincode']],
  ])('%s', async (_, dropoff, types) => {
    const { body } = await caller.create(testOrder({ verification: { dropoff } }))
    await caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'delivered' })
    const { body: shown } = await caller.get(`/deliveries/${body.deliveryId}`)
    expect((shown.proofOfDelivery as { type: string }[]).map(({ type }) => type)).toEqual(types)
    const { body: page } = await caller.get(
      `/events?deliveryId=${body.deliveryId}&eventType=delivery.proof_of_delivery_added`,
    )
    expect(page.events).toHaveLength(types.length)
  })
})

describe('the details of an error say', () => {
  const detailsOf = ({ body }: { body: Record<string, unknown> }) => (body.error as { details: unknown }).details
  const created = async (changes: Record<string, unknown> = {}) => (await caller.create(testOrder(changes))).body

  test('which statuses are allowed', async () => {
    const { deliveryId } = await created()
    await caller.post(`/deliveries/${deliveryId}/simulate`, { advanceTo: 'driver_at_dropoff' })
    const simulated = await caller.post(`/deliveries/${deliveryId}/simulate`, { advanceTo: 'accepted' })
    expect(detailsOf(simulated)).toEqual({
      from: 'driver_at_dropoff',
      to: 'accepted',
      allowed: ['delivered', 'failed', 'return_in_progress', 'returned', 'cancelled'],
    })
    await caller.post(`/deliveries/${deliveryId}/simulate`, { advanceTo: 'failed' })
    const cancelled = await caller.post(`/deliveries/${deliveryId}/cancel`)
    expect(detailsOf(cancelled)).toMatchObject({ from: 'failed', allowed: ['return_in_progress', 'returned'] })
  })

  test('which reasons go with a status', async () => {
    const { deliveryId } = await created()
    const body = { advanceTo: 'expired', statusReasonCode: 'recipient_refused' }
    const reply = await caller.post(`/deliveries/${deliveryId}/simulate`, body)
    expect(detailsOf(reply)).toMatchObject({
      allowed: ['gate_closed', 'no_carrier_available', 'quote_expired', 'weather_or_road_closure'],
    })
  })

  test('which delivery has the reference already', async () => {
    const { deliveryId, clientOrderReference } = await created()
    const reply = await caller.create(testOrder({ clientOrderReference }))
    expect(detailsOf(reply)).toEqual({ existingDeliveryId: deliveryId })
  })

  test('when a key was used first', async () => {
    const headers = { 'Idempotency-Key': 'used-before' }
    await caller.create(testOrder(), { headers })
    expect(detailsOf(await caller.create(testOrder(), { headers }))).toEqual({
      firstUsedAt: new Date(nowMs).toISOString(),
    })
  })

  test.each<[string, Record<string, unknown>, object]>([
    [
      'a gate',
      { dropoff: { installation: { code: 'FTBRAGG', gate: 'Back Door' } } },
      ['Knox Street Truck Plaza', 'Longstreet Road ACP'],
    ],
    [
      'a delivery point',
      { dropoff: { installation: { code: 'ZZGATEONLY' }, unit: { deliveryPoint: 'mailroom' } } },
      ['gate_handoff'],
    ],
    [
      'a mechanism',
      { verification: { dropoff: { retina: {} } } },
      ['photo', 'signature', 'identity', 'pinCode', 'barcode'],
    ],
  ])('which values %s may have', async (_, changes, allowed) => {
    expect(detailsOf(await caller.create(testOrder(changes)))).toMatchObject({ allowed })
  })

  test.each<[string, Record<string, unknown>, object]>([
    [
      'too far',
      { dropoff: { address: { line1: '2 Main St', city: 'Billings', state: 'MT', postalCode: '59101' } } },
      { maximumDistanceKm: 40, distanceKm: expect.any(Number) },
    ],
    ['too heavy', { package: { weightGrams: 30_000 } }, { maximumWeightGrams: 22_700, weightGrams: 30_000 }],
  ])('by how much an order is %s', async (_, changes, details) => {
    expect(detailsOf(await caller.create(testOrder(changes)))).toEqual(details)
  })

  test('how long to wait', async () => {
    const limited = await startSandbox({ rateLimit: 1, clock: { now: () => nowMs } })
    const own = new Caller(limited)
    const [, refused] = [await own.get('/teams'), await own.get('/teams')]
    await limited.close()
    expect(detailsOf(refused)).toEqual({ limit: 1, windowSeconds: 1, retryAfterSeconds: 1 })
  })

  test('which methods a path has', async () => {
    expect(detailsOf(await caller.call('DELETE', '/deliveries'))).toEqual({ allowed: ['GET', 'POST', 'HEAD'] })
  })
})
