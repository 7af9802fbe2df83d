import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { testOrder } from '../support/sandbox/orders.js'
import { type Received, startTestReceiver } from '../support/sandbox/receiver.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'

/** A delivery driven to its end with these faults, asked for by the order or by a rule of the sandbox. */
async function play(faults: string, by: 'order' | 'rule' = 'order', advance = '0s') {
  const { sandbox, caller } = await startTestSandbox()
  const receiver = await startTestReceiver()
  await caller.steer('POST', '/endpoints', { url: receiver.url })
  if (by === 'rule') await caller.steer('POST', '/faults', { seed: 7, rules: [{ hooks: faults }] })
  const metadata = by === 'order' ? { sandbox_hooks: faults } : {}
  const { body } = await caller.create(testOrder({ metadata }))
  await caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'delivered' })
  await sandbox.settled()
  await caller.steer('POST', '/clock', { advance })
  const listed = await caller.get('/events?limit=100', { offContract: true })
  return { sandbox, caller, receiver, listed: listed.body.events as Record<string, unknown>[] }
}

function verdict(secret: string, received: Received): string {
  const headers = Object.fromEntries(Object.entries(received.headers).map(([name, value]) => [name, String(value)]))
  try {
    new Webhook(secret).verify(received.body.toString(), headers)
    return 'accepted'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const inTime = (received: readonly Received[]) => {
  const times = received.map(({ event }) => event.occurredAt)
  return JSON.stringify(times) === JSON.stringify([...times].sort())
}

describe.each(['order', 'rule'] as const)('a webhook fault asked for by the %s', (by) => {
  test('duplicate sends the same event twice, which are two attempts', async () => {
    const { receiver, caller, listed } = await play('duplicate', by)
    expect(receiver.received).toHaveLength(18)
    expect(new Set(receiver.received.map(({ event }) => event.eventId)).size).toBe(9)
    const { attempts } = await caller.steer('GET', `/attempts?eventId=${listed[0]?.eventId}`)
    expect(attempts).toMatchObject([1, 2].map((attempt) => ({ attempt, statusCode: 204, outcome: 'delivered' })))
    expect(listed).toMatchObject(Array(9).fill({ lastDeliveryStatus: 'delivered', deliveryAttempts: 2 }))
  })

  test('shuffle sends a burst out of order and leaves its times alone', async () => {
    const { receiver } = await play('shuffle', by)
    expect(new Set(receiver.types).size).toBe(9)
    // Eight events in their true order by chance: once in 40,320 runs. Another burst settles it.
    if (inTime(receiver.received)) expect(inTime((await play('shuffle', by)).receiver.received)).toBe(false)
  })

  test('delay=30 sends thirty virtual seconds later', async () => {
    const { receiver, caller } = await play('delay=30', by, '29s')
    expect(receiver.received).toHaveLength(0)
    await caller.steer('POST', '/clock', { advance: '1s' })
    expect(receiver.received).toHaveLength(9)
  })

  test('drop_first=3 fails three attempts without sending them', async () => {
    const { receiver, caller } = await play('drop_first=3', by, '35m4s')
    expect(receiver.received).toHaveLength(0)
    await caller.steer('POST', '/clock', { advance: '1s' })
    expect(receiver.received).toHaveLength(9)
    const { attempts } = (await caller.steer('GET', '/attempts')) as { attempts: Record<string, unknown>[] }
    expect(attempts).toHaveLength(36)
  })

  test.each([
    ['badsig', 'No matching signature found'],
    ['wrongsecret', 'No matching signature found'],
    ['stale', 'Message timestamp too old'],
    ['future', 'Message timestamp too new'],
    ['rotate', 'accepted'],
    ['unknownscheme', 'accepted'],
  ])('%s is met with "%s"', async (fault, expected) => {
    const { sandbox, receiver } = await play(fault, by)
    for (const received of receiver.received) expect(verdict(sandbox.webhookSecret, received)).toBe(expected)
    const signatures = String(receiver.received[0]?.headers['webhook-signature']).split(' ')
    expect(signatures).toHaveLength(fault === 'rotate' || fault === 'unknownscheme' ? 2 : 1)
    if (fault === 'unknownscheme') expect(signatures[0]).toMatch(/^v2,/)
  })

  test('gap sends nothing and leaves the events to be found', async () => {
    const { receiver, listed } = await play('gap', by, '28h')
    expect(receiver.received).toHaveLength(0)
    expect(listed).toHaveLength(0) // older than the default of "since" by now
    const { caller } = await play('gap', by)
    const { body } = await caller.get('/events?delivered=false')
    expect(body.events).toHaveLength(9)
    expect((body.events as Record<string, unknown>[])[0]).toMatchObject({
      lastDeliveryStatus: 'failed',
      deliveryAttempts: 0,
    })
  })

  test('unknowntype adds events of a type that nobody knows', async () => {
    const { receiver } = await play('unknowntype', by)
    expect(receiver.types).toContain('delivery.teleported')
    expect(receiver.types).toContain('delivery.delivered')
  })

  test('extrafields adds properties that nobody knows', async () => {
    const plain = await play('duplicate', by)
    const { receiver } = await play('extrafields', by)
    const known = new Set(Object.keys(plain.receiver.received[0]?.event ?? {}))
    expect(Object.keys(receiver.received[0]?.event ?? {}).some((name) => !known.has(name))).toBe(true)
  })

  test('bigbody sends 300 kB', async () => {
    const { sandbox, receiver } = await play('bigbody', by)
    expect(receiver.received[0]?.body.length).toBeGreaterThan(300_000)
    expect(verdict(sandbox.webhookSecret, receiver.received[0] as Received)).toBe('accepted')
  })

  test('latearrival sends an old event after the last one', async () => {
    const { receiver } = await play('latearrival', by)
    const last = receiver.received.at(-1)?.event
    const delivered = receiver.received.find(({ event }) => event.eventType === 'delivery.delivered')?.event
    expect(last?.eventType).not.toBe('delivery.delivered')
    expect(String(last?.occurredAt) < String(delivered?.occurredAt)).toBe(true)
  })

  test('locationburst sends twenty positions', async () => {
    const { receiver } = await play('locationburst', by)
    expect(receiver.types.filter((type) => type === 'delivery.driver_location_updated')).toHaveLength(20)
  })

  test('nosnapshotdriver sends snapshots without a driver', async () => {
    const { receiver } = await play('nosnapshotdriver', by)
    for (const { event } of receiver.received) expect(event.delivery).toMatchObject({ driver: null })
  })
})

test('duplicate leaves an event delivered that was accepted only the first time', async () => {
  const { sandbox, caller } = await startTestSandbox()
  const { url } = await startTestReceiver((_, count) => (count === 1 ? 204 : 500))
  await caller.steer('POST', '/endpoints', { url })
  await caller.steer('POST', '/faults', { seed: 7, rules: [{ hooks: 'duplicate' }] })
  await caller.create(testOrder({}))
  await sandbox.settled()
  const { attempts } = await caller.steer('GET', '/attempts')
  expect(attempts).toMatchObject([
    { attempt: 1, statusCode: 204, outcome: 'delivered' },
    { attempt: 2, statusCode: 500, outcome: 'failed' },
  ])
  const { events } = (await caller.get('/events')).body
  expect(events).toMatchObject([{ lastDeliveryStatus: 'delivered', deliveryAttempts: 2 }])
})
