import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, fetchTransport } from '../../src/client/index.js'
import type { EventRecord } from '../../src/contract/index.js'
import { ordinaryStores } from '../../src/sandbox/core/geo/stores.js'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js'

interface History {
  sandbox: Sandbox
  startMs: number
  events: EventRecord[]
}

const dayMs = 86_400_000
const endMs = Date.parse('2026-03-20T17:20:00Z')

async function history(over: string, seed: Record<string, unknown> = {}, nowMs = endMs): Promise<History> {
  const sandbox = createSandbox({ clock: { now: () => nowMs }, rateLimit: 'off', deliverWebhooks: false })
  await sandbox.steer('POST', '/seed', { over, seed: 5, ...seed })
  const client = createClient({
    baseUrl: 'http://127.0.0.1/delivery/v1',
    apiKey: sandbox.apiKey,
    transport: fetchTransport((request) => sandbox.fetch(request)),
  })
  const events: EventRecord[] = []
  for await (const event of client.each('listEvents', {
    since: new Date(nowMs - 29 * dayMs).toISOString(),
    limit: 100,
  }))
    events.push(event)
  await client.close()
  return { sandbox, startMs: nowMs - Number.parseInt(over, 10) * dayMs, events }
}

interface EventData {
  eta?: { dropoff: string }
  delivery: {
    clientOrderReference: string
    pickup: { storeReference: string }
    dropoff: { installation?: { code: string } }
    statusReasonCode?: string
  }
}

const dataOf = (event: EventRecord) => event.data as EventData
const timeOf = (event: EventRecord) => Date.parse(event.occurredAt)

/** The events of each delivery, by its reference. */
function byReference(events: readonly EventRecord[]): Map<string, EventRecord[]> {
  return Map.groupBy(events, (event) => dataOf(event).delivery.clientOrderReference)
}

const count = (events: readonly EventRecord[], ...types: string[]) =>
  events.filter(({ eventType }) => types.includes(eventType.replace('delivery.', ''))).length

const zones = new Map(ordinaryStores.map(({ storeReference, timezone }) => [storeReference, timezone]))

describe('A history of 14 typical days, over the start of daylight saving time', () => {
  let typical: History
  beforeAll(async () => {
    typical = await history('14d')
  })
  afterAll(() => typical.sandbox.close())

  it('fills the time that ends now, and leaves the clock where it was', async () => {
    const times = typical.events.map(timeOf)
    expect(times.every((atMs) => atMs >= typical.startMs && atMs <= endMs)).toBe(true)
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    const { clock } = (await typical.sandbox.steer('GET', '/status')) as { clock: { now: string } }
    expect(Date.parse(clock.now)).toBe(endMs)
  })

  it('has 20 deliveries a day or more, from many stores, by day at their stores', () => {
    const first = [...byReference(typical.events).values()].map(([event]) => event as EventRecord)
    expect(first.length).toBeGreaterThanOrEqual(14 * 20)
    expect(new Set(first.map((event) => dataOf(event).delivery.pickup.storeReference)).size).toBeGreaterThanOrEqual(3)
    const byDay = first.filter((event) => {
      const timeZone = zones.get(dataOf(event).delivery.pickup.storeReference)
      const hour = Number(new Date(event.occurredAt).toLocaleString('sv-SE', { timeZone, hour: '2-digit' }))
      return hour >= 6 && hour < 23
    })
    expect(byDay.length / first.length).toBeGreaterThanOrEqual(0.9)
  })

  it('has deliveries under way, failures with reasons, returns, cancellations, installations and locations', () => {
    const histories = [...byReference(typical.events).values()]
    const ends = ['delivered', 'failed', 'cancelled', 'expired', 'returned']
    expect(histories.some((events) => count(events, ...ends) === 0)).toBe(true)
    const failed = typical.events.filter(({ eventType }) => eventType === 'delivery.failed')
    expect(failed.length).toBeGreaterThan(3)
    expect(failed.every((event) => dataOf(event).delivery.statusReasonCode !== undefined)).toBe(true)
    for (const status of ['returned', 'cancelled', 'reassigning', 'dispatch_failed', 'driver_location_updated'])
      expect(count(typical.events, status), status).toBeGreaterThan(0)
    expect(typical.events.some((event) => dataOf(event).delivery.dropoff.installation !== undefined)).toBe(true)
  })

  it('comes from as many stores as were asked for', async () => {
    const { sandbox, events } = await history('2d', { stores: 2 })
    await sandbox.close()
    const from = new Set(events.map((event) => dataOf(event).delivery.pickup.storeReference))
    expect([...from].sort()).toEqual(['STORE-001', 'STORE-002'])
  })

  it('is late now and then: some deliveries, and at most half, by more than five minutes', () => {
    const late = [...byReference(typical.events).values()].flatMap((events) => {
      const eta = events.find(({ eventType }) => eventType === 'delivery.eta_updated')
      const delivered = events.find(({ eventType }) => eventType === 'delivery.delivered')
      if (eta === undefined || delivered === undefined) return []
      return [timeOf(delivered) - Date.parse(dataOf(eta).eta?.dropoff ?? '') > 300_000]
    })
    const share = late.filter(Boolean).length / late.length
    expect(share).toBeGreaterThan(0)
    expect(share).toBeLessThanOrEqual(0.5)
  })

  it('has more trouble on bad days, and more orders on holidays', async () => {
    const bad = await history('4d', { mix: 'bad-day' })
    const holiday = await history('4d', { mix: 'holiday' })
    const trouble = ({ events }: History) => count(events, 'dispatch_failed', 'reassigning') / byReference(events).size
    expect(trouble(bad)).toBeGreaterThan(1.3 * trouble(typical))
    expect(byReference(holiday.events).size).toBeGreaterThan(1.15 * byReference(typical.events).size * (4 / 14))
    await bad.sandbox.close()
    await holiday.sandbox.close()
  })

  it('continues: active deliveries are delivered when the clock moves', async () => {
    // At night hardly anybody orders.
    const night = Date.parse('2026-03-11T09:30:00Z')
    const sandbox = createSandbox({ rateLimit: 'off', clock: { now: () => night } })
    await sandbox.steer('POST', '/seed', { over: '2d', seed: 11, perDay: 60 })
    const statuses = async () => {
      const { counts } = (await listStatuses(sandbox, night)) as { counts: Record<string, number> }
      return counts
    }
    const before = await statuses()
    await sandbox.steer('POST', '/clock', { advance: '5h' })
    await sandbox.settled()
    const after = await statuses()
    expect(after.delivered ?? 0).toBeGreaterThan(before.delivered ?? 0)
    expect(after.driver_enroute_to_dropoff ?? 0).toBe(0)
    await sandbox.close()
  })
})

it('A history is the same for the same seed, moved by the difference of the two starts', async () => {
  const told = async (...asked: Parameters<typeof history>) => {
    const { sandbox, events, startMs } = await history(...asked)
    await sandbox.close()
    return events.map(
      (event) => `${timeOf(event) - startMs} ${event.eventType} ${dataOf(event).delivery.clientOrderReference}`,
    )
  }
  const first = await told('1d')
  expect(await told('1d', {}, endMs + 61_234)).toEqual(first)
  expect(await told('1d', { seed: 6 })).not.toEqual(first)
})

it.each([
  ['6h', endMs],
  ['6h', Date.parse('2026-03-11T09:30:00Z')],
  ['20d', endMs],
])('A history of exactly thirty deliveries over %s', async (over, nowMs) => {
  const { sandbox, events } = await history(over, { count: 30 }, nowMs)
  await sandbox.close()
  expect(byReference(events).size).toBe(30)
  const firstMs = Math.min(...events.map(timeOf))
  expect(firstMs).toBeGreaterThanOrEqual(nowMs - (over === '6h' ? 6 / 24 : 20) * dayMs)
})

async function listStatuses(sandbox: Sandbox, nowMs: number) {
  const client = createClient({
    baseUrl: 'http://127.0.0.1/delivery/v1',
    apiKey: sandbox.apiKey,
    transport: fetchTransport((request) => sandbox.fetch(request)),
  })
  const counts: Record<string, number> = {}
  const from = new Date(nowMs - 29 * dayMs).toISOString()
  for await (const { status } of client.each('listDeliveries', { from, limit: 100 }))
    counts[status] = (counts[status] ?? 0) + 1
  await client.close()
  return { counts }
}

it.each([
  [{ over: '31d' }, 'over'],
  [{ over: 'soon' }, 'over'],
  [{ over: '1d', mix: 'sunny' }, 'mix'],
  [{ over: '1d', pace: 'fast' }, 'pace'],
  [{ over: '1d', count: 5, perDay: 30 }, 'perDay'],
])('A history asked for by %j is refused', async (asked, field) => {
  const sandbox = createSandbox()
  const refused = sandbox.steer('POST', '/seed', asked)
  await expect(refused).rejects.toMatchObject({ status: 400, fieldErrors: [{ field }] })
  await sandbox.close()
})
