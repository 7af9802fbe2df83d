import { describe, expect, test } from 'vitest'
import type { DeliveryCreate } from '../../../src/contract/index.js'
import { milestones } from '../../../src/contract/status-words.js'
import { distanceKm, type Point } from '../../../src/sandbox/core/geo/geography.js'
import { changeInstallation } from '../../../src/sandbox/core/policy-change.js'
import { dropoffAt, mondayMorningMs, TestShell } from '../../support/sandbox/core-world.js'

const minute = 60_000
const chain = milestones.slice(1)
const events = (statuses: readonly string[]) => statuses.map((status) => `delivery.${status}`)

/** Creates an order and lets so much time pass. */
function live(
  metadata: Record<string, unknown>,
  more: Partial<DeliveryCreate> = {},
  minutes = 180,
  shell = new TestShell(),
) {
  const { deliveryId } = shell.create({ ...more, metadata })
  shell.advanceTo(shell.nowMs + minutes * minute)
  const row = shell.stored(deliveryId)
  const statuses = shell
    .eventTypes(deliveryId)
    .filter((type) => !/location|eta|proof/.test(type))
    .map((type) => type.replace('delivery.', ''))
  return { shell, row, statuses, deliveryId }
}

describe('a delivery', () => {
  test('does not move by itself at the pace manual, but is accepted before its window', () => {
    const timeWindows = {
      deliveryMode: 'scheduled' as const,
      dropoff: { start: '2026-03-02T17:00:00Z', end: '2026-03-02T18:00:00Z' },
    }
    expect(live({}, {}, 10_000).statuses).toEqual(['accepted'])
    expect(live({ sandbox_outcome: 'denied_at_gate' }, {}, 10_000).statuses).toEqual(['accepted'])
    expect(live({ sandbox_outcome: 'no_carrier_available' }, {}, 10_000).statuses).toEqual(['dispatch_failed'])
    expect(live({}, { timeWindows }, 10_000).statuses).toEqual(['scheduled', 'accepted'])
  })

  test('is delivered at once at the pace instant, after it was accepted', () => {
    const shell = new TestShell()
    const { deliveryId, status, nextDueAtMs } = shell.create({ metadata: { sandbox_pace: 'instant' } })
    expect({ status, nextDueAtMs }).toEqual({ status: 'accepted', nextDueAtMs: mondayMorningMs })
    shell.advanceTo(shell.nowMs)
    expect(shell.statusEventTypes(deliveryId)).toEqual(events(chain))
    expect(shell.stored(deliveryId).nextDueAtMs).toBeUndefined()
  })

  test.each([
    ['fast', 2],
    ['robo', 30],
  ])('makes a step every so many seconds at the pace %s: %i', (sandbox_pace, seconds) => {
    const { row } = live({ sandbox_pace })
    expect(row.history.map(({ status }) => status)).toEqual(chain)
    const gaps = row.history.slice(1).map(({ atMs }, index) => atMs - (row.history[index]?.atMs ?? 0))
    // The proof is captured a millisecond before the delivery is complete.
    expect(gaps).toEqual([...gaps.slice(1).map(() => seconds * 1_000), seconds * 1_000 + 1])
  })

  test('takes as long as the way does at the pace real, and tells where the driver is', () => {
    const { shell, row, deliveryId } = live({ sandbox_pace: 'real' })
    expect(row.status).toBe('delivered')
    const minutes = ((row.history.at(-1)?.atMs ?? 0) - mondayMorningMs) / minute
    expect(minutes).toBeGreaterThan(15)
    expect(minutes).toBeLessThan(90)
    const told = shell.events.filter((event) => event.eventType === 'delivery.driver_location_updated')
    expect(told.length).toBeGreaterThan(5)
    const places = told.map(({ body }) => {
      const { driver } = body.delivery as { driver: { location: { latitude: number; longitude: number } } }
      return `${driver.location.latitude} ${driver.location.longitude}`
    })
    expect(new Set(places).size).toBe(places.length)
    const gaps = told.slice(1).map(({ occurredAtMs }, index) => occurredAtMs - (told[index]?.occurredAtMs ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(60_000)
    expect(shell.eventTypes(deliveryId)).toContain('delivery.eta_updated')
    const eta = shell.events.find(({ eventType }) => eventType === 'delivery.eta_updated')?.body.eta as {
      dropoff: string
    }
    expect(Date.parse(eta.dropoff)).toBeGreaterThan(mondayMorningMs)
  })

  test.each(['real', 'robo', 'fast'])('lets no driver jump at the pace %s', (sandbox_pace) => {
    const { shell } = live({ sandbox_pace })
    const seen = shell.events.flatMap(({ occurredAtMs, body }) => {
      const { driver, status } = body.delivery as { status: string; driver?: { location?: Point } }
      return driver?.location === undefined ? [] : [{ occurredAtMs, status, place: driver.location }]
    })
    expect(seen.length).toBeGreaterThan(7)
    for (const [index, { occurredAtMs, place, status }] of seen.entries()) {
      const before = seen[index - 1]
      if (before === undefined) continue
      const km = distanceKm(before.place, place)
      const seconds = (occurredAtMs - before.occurredAtMs) / 1_000
      // A minute's way at 90 km/h at the pace of the map; quicker paces squeeze a leg into one step.
      const allowedKm = sandbox_pace === 'real' ? 0.2 + (90 * seconds) / 3_600 : seconds < 0.1 ? 0.2 : 12
      expect(km, `${before.status} to ${status} in ${seconds} s`).toBeLessThan(allowedKm)
    }
    const ofDropoffLeg = seen.filter(({ status }) => status === 'driver_enroute_to_dropoff').map(({ place }) => place)
    const [store] = ofDropoffLeg
    const travelled = ofDropoffLeg.map((place) => distanceKm(store ?? place, place))
    expect(travelled).toEqual([...travelled].sort((a, b) => a - b))
  })

  test('tells of no places for an account without streaming', () => {
    const { shell, row } = live({ sandbox_pace: 'real' }, {}, 180, new TestShell({ apiKey: 'dlvk_sbx_noreturns' }))
    expect(row).toMatchObject({ status: 'delivered' })
    expect(row.location).toBeUndefined()
    expect(shell.eventTypes(row.deliveryId)).not.toContain('delivery.driver_location_updated')
  })

  test('lives the same life in another sandbox', () => {
    const [one, two] = [live({ sandbox_pace: 'real' }), live({ sandbox_pace: 'real' })]
    const reference = { clientOrderReference: 'x' }
    const told = ({ shell }: typeof one) => shell.events.map(({ eventType, occurredAtMs }) => [eventType, occurredAtMs])
    expect(told(one)).toEqual(told(two))
    expect({ ...one.row, order: {}, ...reference }).toEqual({ ...two.row, order: {}, ...reference })
  })

  test('can be advanced by hand, and continues from there', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ metadata: { sandbox_pace: 'robo' } })
    shell.simulate(deliveryId, { advanceTo: 'driver_at_dropoff' })
    shell.advanceTo(shell.nowMs + minute)
    expect(shell.stored(deliveryId).status).toBe('delivered')
    expect(shell.statusEventTypes(deliveryId)).toEqual(events(chain))
  })

  test('starts to move when an update gives it a pace', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create()
    shell.advanceTo(shell.nowMs + 60 * minute)
    shell.update(deliveryId, { metadata: { sandbox_pace: 'fast' } })
    shell.advanceTo(shell.nowMs + minute)
    expect(shell.stored(deliveryId).status).toBe('delivered')
  })
})

describe('every reason', () => {
  test('leads to no fallback that is named without being asked for', () => {
    const handling = { fallbackHandoff: 'visitor_center' }
    const metadata = { sandbox_outcome: 'recipient_unavailable', sandbox_pace: 'fast' }
    expect(live(metadata, { handling }).row.status).toBe('failed')
  })
})

describe('a detour', () => {
  test('is driven by two drivers', () => {
    const { shell, statuses, deliveryId } = live({ sandbox_outcome: 'reassigning', sandbox_pace: 'fast' })
    expect(statuses).toEqual([...chain.slice(0, 3), 'reassigning', ...chain.slice(1)])
    const drivers = shell.events
      .filter((event) => event.deliveryId === deliveryId && event.eventType === 'delivery.driver_assigned')
      .map(({ body }) => (body.delivery as { driver: { id: string } }).driver.id)
    expect(new Set(drivers).size).toBe(2)
  })
})

describe('time', () => {
  const scheduled = (from: string, to: string) => ({
    timeWindows: { deliveryMode: 'scheduled' as const, dropoff: { start: from, end: to } },
  })

  test('lets a scheduled order lapse with its quote where that is its scripted outcome', () => {
    const window = scheduled('2026-03-02T18:00:00Z', '2026-03-02T19:00:00Z')
    expect(live({ sandbox_pace: 'fast', sandbox_outcome: 'quote_expired' }, window).statuses).toEqual([
      'scheduled',
      'expired',
    ])
  })

  test('expires an order that nobody takes for an hour', () => {
    const shell = new TestShell()
    shell.capacity = 0
    const { row } = live({ sandbox_pace: 'instant' }, {}, 180, shell)
    expect(row.history).toEqual([
      expect.objectContaining({ status: 'dispatch_failed', atMs: mondayMorningMs }),
      expect.objectContaining({ status: 'expired', atMs: mondayMorningMs + 60 * minute }),
    ])
  })

  test('expires it with its window, if that is sooner', () => {
    const shell = new TestShell()
    shell.capacity = 0
    const window = scheduled('2026-03-02T15:10:00Z', '2026-03-02T15:40:00Z')
    const { row } = live({ sandbox_pace: 'instant' }, window, 180, shell)
    expect(row.history.at(-1)).toMatchObject({ status: 'expired', atMs: Date.parse('2026-03-02T15:40:00Z') })
  })

  test('finds a driver as soon as there is one again', () => {
    const shell = new TestShell()
    shell.capacity = 0
    const { deliveryId } = shell.create({ metadata: { sandbox_pace: 'fast' } })
    shell.advanceTo(shell.nowMs + 12 * minute)
    expect(shell.stored(deliveryId).status).toBe('dispatch_failed')
    shell.capacity = 1
    shell.advanceTo(shell.nowMs + 6 * minute)
    expect(shell.stored(deliveryId).status).toBe('delivered')
    expect(shell.capacity).toBe(0)
  })

  test('is taken by as many orders as there are drivers', () => {
    const shell = new TestShell()
    shell.capacity = 2
    const rows = Array.from({ length: 3 }, () => shell.create({ metadata: { sandbox_pace: 'fast' } }))
    shell.advanceTo(shell.nowMs + minute)
    const statuses = rows.map(({ deliveryId }) => shell.stored(deliveryId).status)
    expect(statuses.toSorted()).toEqual(['delivered', 'delivered', 'dispatch_failed'])
  })

  test('turns a driver away whose credential has run out on the way', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ dropoff: dropoffAt('FTBRAGG'), metadata: { sandbox_pace: 'robo' } })
    shell.advanceTo(shell.nowMs + 45_000)
    const driver = shell.driver(shell.stored(deliveryId).driverId ?? '')
    if (driver === undefined) throw new Error('nobody drives')
    const credentials = driver.credentials.map((credential) => ({ ...credential, expiresAtMs: shell.nowMs }))
    shell.driverRows.set(driver.id, { ...driver, credentials })
    shell.advanceTo(shell.nowMs + 10 * minute)
    expect(shell.stored(deliveryId)).toMatchObject({ status: 'failed', statusReasonCode: 'credential_expired' })
  })
})

describe('the gate', () => {
  test.each([
    [{ fpconLevel: 'delta' }, 'fpcon_elevated'],
    [{ acceptingDeliveries: false }, 'denied_at_gate'],
  ] as const)('that %o keeps shut turns a driver away who was sent all the same', (policy, statusReasonCode) => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ dropoff: dropoffAt('ZZOK'), metadata: { sandbox_pace: 'fast' } })
    shell.commit(changeInstallation(shell, 'ZZOK', policy))
    shell.simulate(deliveryId, { advanceTo: 'driver_enroute_to_dropoff' })
    shell.advanceTo(shell.nowMs + minute)
    expect(shell.stored(deliveryId)).toMatchObject({ status: 'failed', statusReasonCode })
  })
})
