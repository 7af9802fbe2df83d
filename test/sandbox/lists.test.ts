import { describe, expect, test } from 'vitest'
import type { Caller } from '../support/sandbox/caller.js'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'

const hourAgo = new Date(Date.now() - 3_600_000).toISOString()

/** All pages of a list, item by item. */
async function all(caller: Caller, path: string, name: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  let cursor: unknown
  do {
    const more = cursor === undefined ? '' : `&cursor=${cursor}`
    const { body } = await caller.get(path + more)
    items.push(...(body[name] as Record<string, unknown>[]))
    cursor = body.nextCursor ?? undefined
  } while (cursor !== undefined)
  return items
}

describe('a list of deliveries', () => {
  test('is newest first, and its pages hold each delivery once while others are created', async () => {
    // Each at a millisecond of its own: within one, only the id tells which is newer.
    let nowMs = Date.now()
    const { caller } = await startTestSandbox({ clock: { now: () => nowMs++ } })
    const ids: unknown[] = []
    for (let count = 0; count < 7; count++) ids.unshift((await caller.create(testOrder())).body.deliveryId)
    const first = await caller.get(`/deliveries?from=${hourAgo}&limit=3`)
    await caller.create(testOrder())
    const second = await caller.get(`/deliveries?from=${hourAgo}&limit=3&cursor=${first.body.nextCursor}`)
    const third = await caller.get(`/deliveries?from=${hourAgo}&limit=3&cursor=${second.body.nextCursor}`)
    const seen = [first, second, third].flatMap(({ body }) => body.deliveries as { deliveryId: string }[])
    expect(seen.map(({ deliveryId }) => deliveryId)).toEqual(ids)
    expect(third.body.nextCursor).toBeNull()
  })

  test('is filtered by status and by time, from inclusive and to exclusive', async () => {
    const { caller } = await startTestSandbox()
    const { body: kept } = await caller.create(testOrder())
    const { body: gone } = await caller.create(testOrder())
    await caller.post(`/deliveries/${gone.deliveryId}/cancel`)
    const cancelled = await all(caller, `/deliveries?from=${hourAgo}&status=cancelled`, 'deliveries')
    expect(cancelled.map(({ deliveryId }) => deliveryId)).toEqual([gone.deliveryId])
    const at = String(kept.createdAt)
    const next = new Date(Date.parse(at) + 1).toISOString()
    const exactly = await all(caller, `/deliveries?from=${at}&to=${next}`, 'deliveries')
    expect(exactly.map(({ createdAt }) => createdAt)).toContain(at)
    expect((await caller.get(`/deliveries?from=${at}&to=${at}`)).code).toBe('VALIDATION_ERROR')
  })

  test('belongs to the account', async () => {
    const { caller } = await startTestSandbox()
    const { body } = await caller.create(testOrder())
    const other = caller.as('dlvk_sbx_fast')
    expect((await other.get(`/deliveries?from=${hourAgo}`)).body.deliveries).toEqual([])
    expect((await other.get(`/deliveries/${body.deliveryId}`)).code).toBe('DELIVERY_NOT_FOUND')
    expect((await other.get(`/events?deliveryId=${body.deliveryId}`)).body.events).toEqual([])
  })

  test('shows a status of tomorrow as the delivery does, in a page and in a lookup', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const metadata = { sandbox_outcome: 'driver_paused', sandbox_pace: 'robo' }
    const { body } = await caller.create(testOrder({ metadata }))
    const { deliveryId, clientOrderReference } = body
    // Read past the caller, who takes no word that the contract does not know.
    const headers = { authorization: `Bearer ${sandbox.apiKey}` }
    const read = async (path: string) =>
      (await (await fetch(`${sandbox.baseUrl}/deliveries${path}`, { headers })).json()) as Record<string, unknown>
    for (let step = 0; step < 20 && (await read(`/${deliveryId}`)).status !== 'driver_paused'; step++)
      await caller.steer('POST', '/clock', { advance: '30s' })
    const paused = { deliveries: [{ deliveryId, status: 'driver_paused' }] }
    expect(await read(`?from=${hourAgo}`)).toMatchObject(paused)
    expect(await read(`?clientOrderReference=${clientOrderReference}`)).toMatchObject(paused)
  })

  test('looks a reference up over all history and finds nothing without an error', async () => {
    const { caller } = await startTestSandbox()
    const order = testOrder()
    const { body } = await caller.create(order)
    await caller.steer('POST', '/clock', { advance: '2000h' })
    const path = `/deliveries?clientOrderReference=${order.clientOrderReference}`
    const found = await caller.get(`${path}&from=2030-01-01T00:00:00Z`)
    expect(found.body).toMatchObject({ deliveries: [{ deliveryId: body.deliveryId }], nextCursor: null })
    expect((await caller.get('/deliveries?clientOrderReference=nobody')).body).toEqual({
      deliveries: [],
      nextCursor: null,
    })
    expect((await caller.get(`${path}&status=delivered`)).body.deliveries).toEqual([])
  })
})

describe('a cursor', () => {
  const foreign: [string, string][] = [
    ['other filters', `/deliveries?from=${hourAgo}&limit=1&status=accepted`],
    ['another list', '/events?limit=1'],
    ['the list of installations', '/installations?limit=1'],
  ]

  test.each(foreign)('is refused with %s', async (_, path) => {
    const { caller } = await startTestSandbox()
    for (let count = 0; count < 3; count++) await caller.create(testOrder())
    const { body } = await caller.get(`/deliveries?from=${hourAgo}&limit=1`)
    const reply = await caller.get(`${path}&cursor=${body.nextCursor}`)
    expect({ status: reply.status, code: reply.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
  })

  test('of another account is refused', async () => {
    const { caller } = await startTestSandbox()
    for (let count = 0; count < 3; count++) await caller.create(testOrder())
    const { body } = await caller.get('/events?limit=1')
    expect((await caller.as('dlvk_sbx_fast').get(`/events?limit=1&cursor=${body.nextCursor}`)).status).toBe(400)
  })

  test.each(['%00', 'W10', 'WzEsMiwzLDRd', 'eyJhIjoxfQ', '😀'])('%s is refused', async (cursor) => {
    const { caller } = await startTestSandbox()
    for (const path of [`/deliveries?from=${hourAgo}`, '/events?limit=1', '/installations?limit=1']) {
      expect((await caller.get(`${path}&cursor=${encodeURIComponent(cursor)}`)).status).toBe(400)
    }
  })
})

describe('a list of events', () => {
  test('is oldest first and holds the very bytes that were sent', async () => {
    const { caller } = await startTestSandbox()
    const { body } = await caller.create(
      testOrder({
        dropoff: { contactName: 'Zoë "Quote" 😀' },
        verification: { dropoff: { photo: { level: 'required' } } },
      }),
    )
    await caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'delivered' })
    const events = await all(caller, '/events?limit=2', 'events')
    const times = events.map(({ occurredAt }) => String(occurredAt))
    expect(times).toEqual([...times].sort())
    expect(new Set(times).size).toBe(times.length)
    expect(events.map(({ eventType }) => eventType)).toContain('delivery.proof_of_delivery_added')
    for (const { data, eventId } of events) expect(data).toMatchObject({ eventId })
    expect(events[0]).toMatchObject({
      deliveryAttempts: 0,
      lastDeliveryStatus: 'no_endpoint_configured',
      lastAttemptAt: null,
    })
  })

  test('is filtered by several types, by delivery, by time and by outcome', async () => {
    const { caller } = await startTestSandbox()
    const { body: one } = await caller.create(testOrder())
    const { body: two } = await caller.create(testOrder())
    await caller.post(`/deliveries/${one.deliveryId}/simulate`, { advanceTo: 'driver_at_pickup' })
    await caller.post(`/deliveries/${two.deliveryId}/cancel`)
    const types = (items: Record<string, unknown>[]) => items.map(({ eventType }) => eventType)
    const some = await all(caller, '/events?eventType=delivery.cancelled&eventType=delivery.accepted&limit=1', 'events')
    expect(types(some)).toEqual(['delivery.accepted', 'delivery.accepted', 'delivery.cancelled'])
    const ofTwo = await all(caller, `/events?deliveryId=${two.deliveryId}`, 'events')
    expect(types(ofTwo)).toEqual(['delivery.accepted', 'delivery.cancelled'])
    expect((await caller.get('/events?delivered=true')).body.events).toEqual([])
    expect(await all(caller, '/events?delivered=false', 'events')).toHaveLength(6)
    const last = String(ofTwo[1]?.occurredAt)
    expect(await all(caller, `/events?deliveryId=${two.deliveryId}&since=${last}`, 'events')).toHaveLength(1)
    expect(await all(caller, `/events?deliveryId=${two.deliveryId}&until=${last}`, 'events')).toHaveLength(1)
    expect((await caller.get('/events?eventType=delivery.accepted,delivery.cancelled')).body.events).toEqual([])
  })

  test('reaches back 24 hours by default and 30 days at most', async () => {
    const { caller } = await startTestSandbox()
    const { body } = await caller.create(testOrder())
    const createdAt = String(body.createdAt)
    await caller.steer('POST', '/clock', { advance: '25h' })
    expect((await caller.get('/events')).body.events).toEqual([])
    expect((await caller.get(`/events?since=${createdAt}`)).body.events).toHaveLength(1)
    await caller.steer('POST', '/clock', { advance: '30d' })
    expect((await caller.get(`/events?since=${createdAt}`)).code).toBe('VALIDATION_ERROR')
    expect(await caller.steer('GET', '/status')).toMatchObject({ events: 0, deliveries: 1 })
  })
})
