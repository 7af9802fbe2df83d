import { expect, test } from 'vitest'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestReceiver } from '../support/sandbox/receiver.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'

test('the schedule names what falls due next, on the clock of the sandbox', async () => {
  const { caller } = await startTestSandbox()
  const { body } = await caller.create(testOrder({ metadata: { sandbox_pace: 'real' } }))
  const { deliveryId } = body
  const schedule = (await caller.steer('GET', '/schedule')) as {
    now: string
    deliveries: { dueAt: string }[]
    webhooks: unknown[]
  }
  expect(schedule).toMatchObject({
    webhooks: [],
    deliveries: [{ deliveryId, clientOrderReference: body.clientOrderReference, status: 'accepted' }],
  })
  expect(Date.parse(String(schedule.deliveries[0]?.dueAt))).toBeGreaterThan(Date.parse(schedule.now))
})

test('a refused webhook is in the schedule until it is delivered, and its event tells of each attempt', async () => {
  const receiver = await startTestReceiver(() => 500)
  const { caller } = await startTestSandbox()
  await caller.steer('POST', '/endpoints', { url: receiver.url })
  const { body } = await caller.create(testOrder())
  type Schedule = { webhooks: { eventId: string; attempt: number; dueAt: string }[] }
  const schedule = async () => (await caller.steer('GET', '/schedule')) as Schedule
  await expect.poll(async () => (await schedule()).webhooks[0]?.attempt).toBe(2)
  const [pending] = (await schedule()).webhooks
  expect(pending).toMatchObject({ eventType: 'delivery.accepted', deliveryId: body.deliveryId, url: receiver.url })

  const event = (await caller.steer('GET', `/events/${pending?.eventId}`)) as Record<string, unknown>
  expect(event).toMatchObject({
    lastDeliveryStatus: 'pending',
    attempts: [{ attempt: 1, statusCode: 500, outcome: 'retrying', url: receiver.url }],
    next: [{ attempt: 2, dueAt: pending?.dueAt, url: receiver.url }],
  })
  expect(receiver.received[0]?.body.toString()).toBe(event.body)
  expect(await caller.steer('GET', '/sent-events')).toMatchObject({
    events: [{ eventId: pending?.eventId, clientOrderReference: body.clientOrderReference, deliveryAttempts: 1 }],
  })
})

test('an event that does not exist is refused by its name', async () => {
  const { caller } = await startTestSandbox()
  await expect(caller.steer('GET', '/events/evt_none')).rejects.toThrow(String.raw`No event \"evt_none\" exists.`)
})

test('a scheduled order is accepted 30 minutes before its window at every pace, and waits there if it is to', async () => {
  const { caller } = await startTestSandbox()
  await caller.steer('POST', '/clock', { set: '2026-03-02T15:00:00Z' })
  const dropoff = { start: '2026-03-02T18:00:00Z', end: '2026-03-02T19:00:00Z' }
  const { body } = await caller.create(testOrder({ timeWindows: { deliveryMode: 'scheduled', dropoff } }))
  const status = async () => (await caller.get(`/deliveries/${body.deliveryId}`)).body.status
  const seen = [body.status]
  for (const set of ['2026-03-02T17:29:59Z', '2026-03-02T17:30:00Z', '2026-03-02T18:10:00Z']) {
    await caller.steer('POST', '/clock', { set })
    seen.push(await status())
  }
  expect(seen).toEqual(['scheduled', 'scheduled', 'accepted', 'accepted'])
})
