import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { Caller } from '../support/sandbox/caller.js'
import { testOrder } from '../support/sandbox/orders.js'
import { type Received, type Receiver, startTestReceiver } from '../support/sandbox/receiver.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'

const signed = ({ headers }: Received) => ({
  'webhook-id': String(headers['webhook-id']),
  'webhook-timestamp': String(headers['webhook-timestamp']),
  'webhook-signature': String(headers['webhook-signature']),
})

/** Throws unless both peers accept the webhook at this moment. */
function verify(secret: string, received: Received): void {
  new StandardWebhook(secret).verify(received.body.toString(), signed(received))
  new SvixWebhook(secret).verify(received.body.toString(), signed(received))
}

async function register(caller: Caller, receiver: Receiver, more: Record<string, unknown> = {}) {
  return caller.steer('POST', '/endpoints', { url: receiver.url, ...more })
}

async function createTestDelivery(caller: Caller, changes: Record<string, unknown> = {}): Promise<string> {
  return String((await caller.create(testOrder(changes))).body.deliveryId)
}

describe('a webhook', () => {
  test('is signed so that other verifiers accept it, and its bytes are those of GET /events', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver()
    await register(caller, receiver)
    const id = await createTestDelivery(caller, { dropoff: { contactName: 'Zoë “Quote” 😀' } })
    await caller.post(`/deliveries/${id}/simulate`, { advanceTo: 'delivered' })
    await sandbox.settled()
    const { text, body } = await caller.get(`/events?deliveryId=${id}&limit=100`)
    expect(receiver.received).toHaveLength(9)
    for (const received of receiver.received) {
      verify(sandbox.webhookSecret, received)
      expect(received.headers['webhook-id']).toBe(received.event.eventId)
      expect(received.headers['content-type']).toBe('application/json')
      expect(text).toContain(`"data":${received.body}}`)
    }
    for (const event of body.events as Record<string, unknown>[]) {
      expect(event).toMatchObject({ deliveryAttempts: 1, lastDeliveryStatus: 'delivered' })
    }
    expect((await caller.get('/events?delivered=false')).body.events).toEqual([])
  })

  test('of one delivery follows the one before, however slow the receiver is', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver()
    await register(caller, receiver)
    const ids = await Promise.all([1, 2, 3, 4].map(() => createTestDelivery(caller)))
    await Promise.all(ids.map((id) => caller.post(`/deliveries/${id}/simulate`, { advanceTo: 'delivered' })))
    await sandbox.settled()
    for (const id of ids) {
      const times = receiver.received
        .filter(({ event }) => (event.delivery as { deliveryId: string }).deliveryId === id)
        .map(({ event }) => event.occurredAt)
      expect(times).toHaveLength(9)
      expect(times).toEqual([...times].sort())
    }
  })

  test('is tried eight times over 27 h 35 min 5 s of virtual time, each attempt signed afresh', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver((_, count) => (count < 8 ? 500 : 200))
    await register(caller, receiver)
    await createTestDelivery(caller)
    await caller.steer('POST', '/clock', { advance: '27h35m5s' })
    expect(receiver.received).toHaveLength(8)
    for (const received of receiver.received) verify(sandbox.webhookSecret, received)
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1)
    const { attempts } = (await caller.steer('GET', '/attempts')) as { attempts: Record<string, unknown>[] }
    const dues = attempts.map(({ scheduledAt }) => Date.parse(String(scheduledAt)))
    const delays = dues.slice(1).map((due, index) => (due - Number(dues[index])) / 1_000)
    expect(delays).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000])
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome]).at(-1)).toEqual([8, 'delivered'])
    expect(attempts[0]).toMatchObject({ attempt: 1, statusCode: 500, error: null, outcome: 'retrying' })
  })

  test('is signed at the moment of each attempt, so that a late one is not too old', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver(() => 500)
    await register(caller, receiver)
    await createTestDelivery(caller)
    await sandbox.settled()
    for (const minutes of [6, 7, 31]) {
      vi.setSystemTime(Date.now() + minutes * 60_000)
      await sandbox.settled()
      const last = receiver.received.at(-1) as Received
      expect(Number(last.headers['webhook-timestamp'])).toBe(Math.floor(Date.now() / 1_000))
      verify(sandbox.webhookSecret, last)
    }
    expect(receiver.received).toHaveLength(4)
  })

  test('is pending while it is retried and failed after the eighth attempt', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver(() => 410)
    await register(caller, receiver)
    await createTestDelivery(caller)
    await sandbox.settled()
    const stateOf = async () =>
      (
        (await caller.get(`/events?since=${new Date().toISOString().slice(0, 10)}T00:00:00Z`)).body.events as Record<
          string,
          unknown
        >[]
      )[0]
    expect(await stateOf()).toMatchObject({
      lastDeliveryStatus: 'pending',
      deliveryAttempts: 1,
      lastAttemptAt: expect.any(String),
    })
    await caller.steer('POST', '/clock', { advance: '28h' })
    expect(await stateOf()).toMatchObject({ lastDeliveryStatus: 'failed', deliveryAttempts: 8 })
    await caller.steer('POST', '/clock', { advance: '100h' })
    expect(receiver.received).toHaveLength(8)
  })

  test.each([
    ['a redirect', () => 302 as const, /^null$/],
    ['a dropped connection', () => 'reset' as const, /closed the connection without a response/],
  ])('counts %s as a failure', async (_, behaviour, error) => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver(behaviour)
    await register(caller, receiver)
    await createTestDelivery(caller)
    await sandbox.settled()
    const { attempts } = (await caller.steer('GET', '/attempts')) as { attempts: Record<string, unknown>[] }
    expect(attempts).toHaveLength(1)
    expect(String(attempts[0]?.error)).toMatch(error)
    expect(attempts[0]?.outcome).toBe('retrying')
  })

  test('that nobody answers fails after ten seconds', async () => {
    const { sandbox, caller } = await startTestSandbox()
    await register(caller, await startTestReceiver(() => 'hang'))
    await createTestDelivery(caller)
    await sandbox.settled()
    expect(await caller.steer('GET', '/attempts')).toMatchObject({
      attempts: [{ statusCode: null, error: expect.stringMatching(/^no response from http.* within 10 s$/) }],
    })
  })

  test('goes to whom it is for: deliveries, drivers, or all', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const [all, deliveries, drivers] = [await startTestReceiver(), await startTestReceiver(), await startTestReceiver()]
    await register(caller, all, { account: 'ownedfleet' })
    await register(caller, deliveries, { account: 'ownedfleet', kind: 'deliveries' })
    await register(caller, drivers, { account: 'ownedfleet', kind: 'drivers' })
    await createTestDelivery(caller.as('dlvk_sbx_ownedfleet'))
    await caller.steer('PUT', '/drivers/drv_new', { name: 'Nia W.', onDuty: true })
    await caller.steer('PUT', '/drivers/drv_new', { onDuty: false })
    await caller.steer('PUT', '/drivers/drv_new', { vehicleDescription: 'Red Bicycle' })
    await caller.steer('DELETE', '/drivers/drv_new')
    await sandbox.settled()
    const ofDriver = ['driver.created', 'driver.duty_changed', 'driver.updated', 'driver.deleted']
    expect(deliveries.types).toEqual(['delivery.accepted'])
    expect([...drivers.types].sort()).toEqual([...ofDriver].sort())
    expect([...all.types].sort()).toEqual(['delivery.accepted', ...ofDriver].sort())
  })

  test('tells of a changed policy and of the deliveries that it stops', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver()
    const id = await createTestDelivery(caller, {
      dropoff: {
        address: { line1: '1 Main St', city: 'Fort Bragg', postalCode: '28310' },
        installation: { code: 'FTBRAGG' },
      },
    })
    await register(caller, receiver)
    await caller.steer('PUT', '/installations/FTBRAGG', { acceptingDeliveries: false })
    await sandbox.settled()
    const [policy] = receiver.received.filter(({ event }) => event.eventType === 'installation.access_policy_changed')
    expect(policy?.event).toMatchObject({
      changed: ['acceptingDeliveries'],
      affectedDeliveryCount: 1,
      installation: { code: 'FTBRAGG' },
    })
    expect(receiver.types).toContain('delivery.dispatch_failed')
    expect((await caller.get(`/deliveries/${id}`)).body.status).toBe('dispatch_failed')
  })

  test('is signed with both secrets from a rotation until the old one is dropped', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver()
    await register(caller, receiver)
    const old = sandbox.webhookSecret
    const rotated = await caller.steer('POST', '/secrets/rotate')
    expect(rotated).toEqual({
      account: 'acc_marketplace',
      secret: expect.stringMatching(/^whsec_/),
      secrets: [rotated.secret, old],
    })
    await createTestDelivery(caller)
    await sandbox.settled()
    expect(await caller.steer('POST', '/secrets/drop')).toEqual({
      account: 'acc_marketplace',
      secret: rotated.secret,
      secrets: [rotated.secret],
    })
    expect(sandbox.webhookSecret).toBe(rotated.secret)
    await createTestDelivery(caller)
    await sandbox.settled()
    const [first, second] = receiver.received as [Received, Received]
    verify(old, first)
    verify(String(rotated.secret), first)
    verify(String(rotated.secret), second)
    expect(() => verify(old, second)).toThrow()
  })

  test('is signed with the receiver’s own secrets where it has some', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver()
    const own = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    expect(await register(caller, receiver, { secrets: [own] })).toMatchObject({
      id: expect.any(String),
      secrets: [own],
    })
    await createTestDelivery(caller)
    await sandbox.settled()
    const [received] = receiver.received as [Received]
    verify(own, received)
    expect(() => verify(sandbox.webhookSecret, received)).toThrow()
  })

  test('is sent once more on demand, with the same id and body and a new signature', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver((_, count) => (count === 1 ? 500 : 204))
    await register(caller, receiver)
    await createTestDelivery(caller)
    await sandbox.settled()
    const eventId = receiver.received[0]?.event.eventId
    const answer = await caller.steer('POST', `/events/${eventId}/resend`)
    expect(answer).toMatchObject({ eventId, attempts: [{ attempt: 2, statusCode: 204, outcome: 'delivered' }] })
    expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body)
    verify(sandbox.webhookSecret, receiver.received[1] as Received)
    await caller.steer('POST', '/clock', { advance: '28h' })
    expect(receiver.received).toHaveLength(2)
    expect((await caller.trySteer('POST', '/events/evt_nobody/resend')).status).toBe(404)
  })

  test('is no longer sent to a receiver that failed too often, where the switch says so', async () => {
    const { sandbox, caller } = await startTestSandbox({ switches: { disableEndpointAfter: 2 } })
    const receiver = await startTestReceiver(() => 500)
    await register(caller, receiver)
    await createTestDelivery(caller)
    await createTestDelivery(caller)
    await caller.steer('POST', '/clock', { advance: '28h' })
    expect(receiver.received).toHaveLength(16)
    await createTestDelivery(caller)
    await sandbox.settled()
    expect(receiver.received).toHaveLength(16)
    expect(await caller.steer('GET', '/endpoints')).toMatchObject({ endpoints: [{ disabled: true }] })
    const { body } = await caller.get('/events')
    expect((body.events as Record<string, unknown>[]).at(-1)).toMatchObject({
      lastDeliveryStatus: 'no_endpoint_configured',
      deliveryAttempts: 0,
    })
  })

  test('that was delivered shows null where the switch says so', async () => {
    const { sandbox, caller } = await startTestSandbox({ switches: { lastDeliveryStatus: 'null' } })
    await register(caller, await startTestReceiver())
    await createTestDelivery(caller)
    await sandbox.settled()
    expect((await caller.get('/events?delivered=true')).body).toMatchObject({
      events: [{ lastDeliveryStatus: null, deliveryAttempts: 1 }],
    })
  })
})

describe('an answer that comes after the state was replaced', () => {
  test.each(['/reset', '/snapshots/empty/restore'])('by %s counts for nothing', async (replace) => {
    const { sandbox, caller } = await startTestSandbox()
    const slow = Promise.withResolvers<void>()
    const receiver = await startTestReceiver(async ({ headers }, count) => {
      if (count === 1) await slow.promise
      return count === 1 || headers['webhook-id'] === idOf(0) ? 500 : 204
    })
    const idOf = (index: number) => receiver.received[index]?.headers['webhook-id']
    await register(caller, receiver)
    await caller.steer('POST', '/snapshots/empty')
    await createTestDelivery(caller)
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1))
    await caller.steer('POST', replace, replace === '/reset' ? { keepEndpoints: true } : undefined)
    await createTestDelivery(caller)
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), { timeout: 3_000 })
    slow.resolve()
    await sandbox.settled()
    const { attempts } = (await caller.steer('GET', '/attempts')) as { attempts: Record<string, unknown>[] }
    expect(attempts).toMatchObject([{ eventId: idOf(1), attempt: 1, statusCode: 204, outcome: 'delivered' }])
    expect((await caller.get('/events')).body.events).toMatchObject([
      { eventId: idOf(1), deliveryAttempts: 1, lastDeliveryStatus: 'delivered' },
    ])
  })
})

describe('a receiver', () => {
  test.each([
    'http://example.com/hooks',
    'http://10.0.0.1/',
    'http://localhost.example.com/',
    'ftp://127.0.0.1/',
    'not an address',
    'https://user:secret@example.com/',
  ])('at %s is refused', async (url) => {
    const { caller } = await startTestSandbox()
    const reply = await caller.trySteer('POST', '/endpoints', { url })
    expect({ status: reply.status, code: reply.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
  })

  test('that is removed leaves no event pending', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const [gone, alsoGone, stays] = [
      await startTestReceiver(() => 500),
      await startTestReceiver(() => 500),
      await startTestReceiver(),
    ]
    const { id } = await register(caller, gone)
    await createTestDelivery(caller)
    await sandbox.settled()
    await register(caller, stays)
    await caller.steer('DELETE', `/endpoints/${id}`)
    const outcomes = async () => {
      const { body } = await caller.get('/events')
      return (body.events as Record<string, unknown>[]).map((event) => [
        event.lastDeliveryStatus,
        event.deliveryAttempts,
      ])
    }
    expect(await outcomes()).toEqual([['failed', 1]])
    await register(caller, alsoGone)
    await createTestDelivery(caller)
    await sandbox.settled()
    await caller.steer('DELETE', '/endpoints')
    expect(await outcomes()).toEqual([
      ['failed', 1],
      ['failed', 2],
    ])
    await caller.steer('POST', '/clock', { advance: '28h' })
    expect([gone.received.length, alsoGone.received.length]).toEqual([1, 1])
  })

  test('that is removed before anything was sent to it counts as none', async () => {
    const sandbox = createSandbox({ rateLimit: 'off' })
    onTestFinished(() => sandbox.close())
    const caller = new Caller(sandbox)
    await caller.steer('POST', '/endpoints', { url: 'http://127.0.0.1:9/' })
    await createTestDelivery(caller)
    expect((await caller.get('/events')).body.events).toMatchObject([{ lastDeliveryStatus: 'pending' }])
    await caller.steer('DELETE', '/endpoints')
    expect((await caller.get('/events')).body.events).toMatchObject([
      { lastDeliveryStatus: 'no_endpoint_configured', deliveryAttempts: 0, lastAttemptAt: null },
    ])
  })

  test('is registered once however often it is named, and forgotten when removed', async () => {
    const { caller } = await startTestSandbox()
    const receiver = await startTestReceiver()
    const first = await register(caller, receiver)
    const again = await register(caller, receiver)
    expect(again.id).toBe(first.id)
    expect(await caller.steer('DELETE', `/endpoints/${first.id}`)).toEqual({ removed: [first.id] })
    expect(await caller.steer('GET', '/endpoints')).toEqual({ endpoints: [] })
    expect((await caller.trySteer('DELETE', '/endpoints/we_nobody')).status).toBe(404)
  })
})

test('what is still to be sent is not forgotten, however far the clock moves meanwhile', async () => {
  let aheadMs = 0
  const { sandbox, caller } = await startTestSandbox({ clock: { now: () => Date.now() + aheadMs } })
  const released = Promise.withResolvers<number>()
  const receiver = await startTestReceiver(() => released.promise)
  await caller.steer('POST', '/endpoints', { url: receiver.url })
  // More than go out at the same time.
  const orders = Array.from({ length: 30 }, (_, index) => testOrder({ clientOrderReference: `WAITING-${index}` }))
  for (const order of orders) await caller.create(order)
  aheadMs = 133 * 86_400_000
  await caller.create(testOrder({ clientOrderReference: 'LATER-1' }))
  for (let turn = 0; turn < 5; turn++) await caller.steer('GET', '/clock')
  released.resolve(204)
  await sandbox.settled()
  expect(receiver.types.filter((type) => type === 'delivery.accepted')).toHaveLength(31)
})
