import { describe, expect, test } from 'vitest'
import { type DeliveryCreate, statusReasonCodes, statusReasonRules } from '../../../src/contract/index.js'
import { distanceKm, type Point } from '../../../src/sandbox/core/geo/geography.js'
import { changeInstallation } from '../../../src/sandbox/core/policy-change.js'
import { dropoffAt, mondayMorningMs, TestShell } from '../../support/sandbox/core-world.js'

const minute = 60_000
const chain = [
  'accepted',
  'driver_assigned',
  'driver_enroute_to_pickup',
  'driver_at_pickup',
  'pickup_complete',
  'driver_enroute_to_dropoff',
  'driver_at_dropoff',
  'delivered',
]
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

  test('has its proofs when it is delivered', () => {
    const { row } = live({ sandbox_pace: 'instant' }, { verification: { dropoff: { photo: {} } } })
    expect(row.proofs).toHaveLength(1)
  })
})

describe('every reason', () => {
  const ended = { failed: 'failed', cancelled: 'cancelled', dispatch_failed: 'expired', expired: 'expired' } as const

  test.each(statusReasonCodes)('%s has its end, at its milestone', (sandbox_outcome) => {
    const { row, statuses } = live({ sandbox_outcome, sandbox_pace: 'fast' })
    const { outcome, entry } = statusReasonRules[sandbox_outcome]
    const way = outcome === 'dispatch_failed' ? ['dispatch_failed'] : chain.slice(0, chain.indexOf(entry) + 1)
    expect(statuses).toEqual([...way, ended[outcome]])
    expect(row.history.find(({ status }) => status === outcome)?.statusReasonCode).toBe(sandbox_outcome)
  })

  test.each(
    statusReasonCodes.filter((code) => statusReasonRules[code].outcome === 'failed'),
  )('%s is returned where a return is asked for and there is something to return', (sandbox_outcome) => {
    const handling = { undeliverableAction: 'return_to_pickup' as const }
    const { row, statuses } = live({ sandbox_outcome, sandbox_pace: 'fast' }, { handling })
    const isReturned = sandbox_outcome !== 'package_not_ready'
    const end = isReturned ? ['failed', 'return_in_progress', 'returned'] : ['failed']
    expect(statuses.slice(-end.length)).toEqual(end)
    expect(row.history.findLast(({ status }) => status !== 'returned')?.statusReasonCode).toBe(sandbox_outcome)
  })

  test('of the recipient leads to the fallback, one of the gate does not', () => {
    const handling = { undeliverableAction: 'fallback_handoff' as const, fallbackHandoff: 'visitor_center' }
    const end = (sandbox_outcome: string) => live({ sandbox_outcome, sandbox_pace: 'fast' }, { handling }).row.status
    expect(end('recipient_unavailable')).toBe('delivered')
    expect(end('denied_at_gate')).toBe('failed')
    expect(end('verification_failed')).toBe('failed')
  })

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

  test('by a failed dispatch ends with an update', () => {
    const shell = new TestShell()
    const metadata = { sandbox_outcome: 'dispatch_recovers', sandbox_pace: 'fast' }
    const { deliveryId, status } = shell.create({ metadata })
    expect(status).toBe('dispatch_failed')
    shell.advanceTo(shell.nowMs + 30 * minute)
    expect(shell.stored(deliveryId).status).toBe('dispatch_failed')
    shell.update(deliveryId, {})
    shell.advanceTo(shell.nowMs + minute)
    expect(shell.statusEventTypes(deliveryId)).toEqual(events(['dispatch_failed', 'reassigning', ...chain.slice(1)]))
  })

  test('infers the pickup that nobody reported', () => {
    const { row } = live({ sandbox_outcome: 'skips_pickup_complete', sandbox_pace: 'fast' })
    expect(row.history.map(({ status }) => status)).toEqual(chain)
    const at = (name: string) => row.history.find(({ status }) => status === name)?.atMs ?? 0
    expect(at('driver_enroute_to_dropoff') - at('pickup_complete')).toBe(1)
  })

  test('shows an unknown status, and continues', () => {
    const shell = new TestShell()
    const metadata = { sandbox_outcome: 'driver_paused', sandbox_pace: 'robo' }
    const { deliveryId } = shell.create({ metadata })
    shell.advanceTo(shell.nowMs + 6.5 * 30_000)
    expect(shell.call('getDelivery', { deliveryId }).body).toMatchObject({ status: 'driver_paused' })
    shell.advanceTo(shell.nowMs + 10 * minute)
    const statuses = shell.stored(deliveryId).history.map(({ status }) => status)
    expect(statuses).toEqual([...chain.slice(0, 6), 'driver_paused', ...chain.slice(6)])
  })
})

describe('time', () => {
  const scheduled = (from: string, to: string) => ({
    timeWindows: { deliveryMode: 'scheduled' as const, dropoff: { start: from, end: to } },
  })

  test('dispatches a scheduled order half an hour before its window', () => {
    const window = scheduled('2026-03-02T18:00:00Z', '2026-03-02T19:00:00Z')
    const { row } = live({ sandbox_pace: 'fast' }, window)
    expect(row.history.map(({ status }) => status)).toEqual(['scheduled', ...chain])
    expect(row.history[1]?.atMs).toBe(Date.parse('2026-03-02T17:30:00Z'))
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

describe('webhook faults of the body', () => {
  const told = (sandbox_hooks: string) => live({ sandbox_hooks, sandbox_pace: 'instant' }).shell.events

  test('are in the event that is recorded, those of sending beside it', () => {
    const [first] = told('bigbody, duplicate, delay=30')
    expect(JSON.stringify(first?.body).length).toBeGreaterThan(300_000)
    expect(first?.hooks).toEqual(['duplicate', 'delay=30'])
    expect(told('extrafields')[0]?.body).toHaveProperty('sandboxExtra')
    expect(told('nosnapshotdriver').map(({ body }) => body.delivery)).toEqual(
      Array.from({ length: 9 }, () => expect.objectContaining({ driver: null })),
    )
  })

  test('are events of their own', () => {
    const types = (hook: string) => told(hook).map(({ eventType }) => eventType)
    expect(types('unknowntype').filter((type) => type === 'delivery.teleported')).toHaveLength(8)
    expect(types('locationburst').filter((type) => type === 'delivery.driver_location_updated')).toHaveLength(20)
    const late = told('latearrival')
    expect(late.at(-1)?.occurredAtMs).toBeLessThan(late.at(-2)?.occurredAtMs ?? 0)
    expect(late.at(-1)?.body.delivery).toMatchObject({ status: 'driver_at_dropoff' })
  })
})

describe('the future', () => {
  test('adds properties, words and a status', () => {
    const shell = new TestShell({ switches: { future: 'on' } })
    const { deliveryId } = shell.create({ metadata: { sandbox_pace: 'fast' } })
    shell.advanceTo(shell.nowMs + minute)
    expect(shell.eventTypes(deliveryId)).toContain('delivery.driver_paused')
    expect(shell.call('getDelivery', { deliveryId }).body).toHaveProperty('carbonGrams')
    expect(shell.call('getCapabilities', {}).body).toHaveProperty('capabilities.lockerHandoff')
    expect(shell.call('getInstallation', { installationCode: 'ZZOK' }).body).toMatchObject({
      supportedDeliveryPoints: expect.arrayContaining(['parcel_locker']),
    })
  })
})
