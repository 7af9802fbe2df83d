import { describe, expect, it } from 'vitest'
import type { UsageError } from '../../src/contract/index.js'
import {
  type EventFact,
  eventFact,
  isBroken,
  parseBound,
  type ReportableEvent,
  type ReportOptions,
  unsureZonesText,
} from '../../src/report/index.js'
import { reportFromEvents } from '../support/report/from-events.js'
import { thrownBy } from '../support/thrown-by.js'

const midnightMs = Date.parse('2026-03-02T00:00:00Z')
const minutes = (count: number) => midnightMs + count * 60_000

/** The events of one delivery: a status and the minute at which it was reached. */
function delivery(
  deliveryId: string,
  steps: readonly (readonly [status: string, minute: number])[],
  extra: Partial<EventFact> = {},
): EventFact[] {
  return steps.map(([status, minute]) => ({
    eventId: `evt_${deliveryId}_${status}_${minute}`,
    eventType: `delivery.${status}`,
    occurredAtMs: minutes(minute),
    deliveryId,
    ...extra,
  }))
}

const way = [
  ['accepted', 0],
  ['driver_assigned', 4],
  ['driver_enroute_to_pickup', 5],
  ['driver_at_pickup', 12],
  ['pickup_complete', 15],
  ['driver_enroute_to_dropoff', 16],
  ['driver_at_dropoff', 40],
  ['delivered', 43],
] as const

function reportOn(facts: readonly EventFact[], options: Partial<ReportOptions> = {}) {
  const period = { fromMs: minutes(0), toMs: minutes(600), eventsSinceMs: minutes(0) }
  return reportFromEvents(facts, { ...period, ...options }).report
}

describe('The times of a delivery', () => {
  it('are the spans between its statuses, in seconds', () => {
    const { metrics } = reportOn(delivery('del_1', way))
    expect(metrics.timeToAssign).toEqual({ p50: 240, p90: 240, p95: 240, n: 1 })
    expect(metrics.toStore.p50).toBe(480)
    expect(metrics.pickupDwell.p50).toBe(180)
    expect(metrics.drive.p50).toBe(25 * 60)
    expect(metrics.doorTime.p50).toBe(180)
    expect(metrics.clickToDoor.p50).toBe(43 * 60)
  })

  it('take the first assignment to wait for, and the last before each leg', () => {
    const redispatched = [
      ...way.slice(0, 4),
      ['reassigning', 13],
      ['driver_assigned', 20],
      ['driver_at_pickup', 30],
      ['pickup_complete', 32],
      ['driver_at_dropoff', 50],
      ['delivered', 51],
    ] as const
    const { metrics } = reportOn(delivery('del_1', redispatched))
    expect(metrics.timeToAssign.p50).toBe(240)
    expect(metrics.toStore.p50).toBe(600)
    expect(metrics.pickupDwell.p50).toBe(120)
    expect(metrics.dispatchTrouble).toMatchObject({ value: 1, n: 1, recovery: { n: 1 } })
  })

  it('come out the same whatever the order of the events, and if one comes twice', () => {
    const facts = [
      ...delivery('del_1', way),
      ...delivery('del_2', [
        ['accepted', 1],
        ['dispatch_failed', 2],
        ['driver_assigned', 9],
      ]),
    ]
    const expected = reportOn(facts)
    expect(expected.metrics.dispatchTrouble.recovery).toEqual({ p50: 420, p90: 420, p95: 420, n: 1 })
    expect(reportOn([...facts].reverse())).toEqual(expected)
    expect(reportOn([...facts, ...facts.slice(3, 5)]).metrics).toEqual(expected.metrics)
  })

  it('interpolate percentiles between the ranks beside them', () => {
    const facts = [10, 20, 30, 40].flatMap((minute, index) =>
      delivery(`del_${index}`, [
        ['accepted', 0],
        ['driver_assigned', minute],
      ]),
    )
    expect(reportOn(facts).metrics.timeToAssign).toEqual({ p50: 1_500, p90: 37 * 60, p95: 38.5 * 60, n: 4 })
  })
})

describe('A delivery', () => {
  it('belongs to the period in which it was accepted, with all that came later', () => {
    const facts = [
      ...delivery('del_early', way),
      ...delivery(
        'del_late',
        way.map(([status, minute]) => [status, minute + 30] as const),
      ),
    ]
    const report = reportOn(facts, { fromMs: minutes(0), toMs: minutes(20), eventsSinceMs: minutes(-20) })
    expect(report).toMatchObject({ deliveries: 1, metrics: { completion: { value: 1, n: 1 } } })
    expect(report.before).toMatchObject({ deliveries: 0 })
    expect(reportOn(facts, { toMs: minutes(20) }).before).toBeNull()
  })

  it('that leaves the door for the store counts as failed', () => {
    const report = reportOn(
      delivery('del_1', [...way.slice(0, 7), ['return_in_progress', 45], ['returned', 70]], {
        statusReasonCode: 'recipient_unavailable',
        totalPriceCents: 1_250,
      }),
    )
    expect(report.metrics.completion).toEqual({ value: 0, n: 1 })
    expect(report.metrics.doorTime.p50).toBe(300)
    expect(report.metrics.returns).toMatchObject({ value: 1, n: 1, time: { p50: 1_500 } })
    expect(report.reasons).toEqual([{ code: 'recipient_unavailable', group: 'recipient', count: 1 }])
    expect(report.furthest).toEqual([{ outcome: 'failed', status: 'driver_at_dropoff', count: 1 }])
    expect(report.money).toEqual({
      currency: 'USD',
      pricePerDropCents: null,
      allInPerDropCents: null,
      wasteCents: 1_250,
      tipsCents: 0,
    })
  })
})

describe('What was delivered', () => {
  const price = { totalPriceCents: 1_000 }
  const facts = [
    ...delivery('del_1', way, { ...price, requiredProofs: ['photo', 'signature'], proofs: ['signature', 'photo'] }),
    ...delivery('del_2', way, { ...price, requiredProofs: ['photo'], proofs: ['signature'], tipAmountCents: 300 }),
    ...delivery('del_3', way, price),
    ...delivery('del_4', [...way.slice(0, 7), ['failed', 45]], { totalPriceCents: 600 }),
    ...delivery('del_5', [way[0], ['cancelled', 5]], { totalPriceCents: 9_000, cancellationFeeCents: 300 }),
  ]

  it('has every proof that was required', () => {
    expect(reportOn(facts).metrics.proof).toEqual({ value: 2 / 3, n: 3 })
  })

  it('pays for what failed and was cancelled as well', () => {
    expect(reportOn(facts).money).toEqual({
      currency: 'USD',
      pricePerDropCents: 1_000,
      allInPerDropCents: 1_300,
      wasteCents: 900,
      tipsCents: 300,
    })
  })
})

describe('A promise', () => {
  const eta = {
    eventId: 'evt_eta',
    eventType: 'delivery.eta_updated',
    occurredAtMs: minutes(12),
    deliveryId: 'del_1',
    etaDropoffMs: minutes(38),
  }
  const facts = [...delivery('del_1', way, { clientOrderReference: 'ORDER-1' }), eta]
  const onTime = (promises: ReportOptions['promises']) => reportOn(facts, { promises: promises ?? {} }).metrics.onTime

  it('is kept with five minutes of grace', () => {
    expect(onTime({ slaMs: 38 * 60_000 })).toEqual({ value: 1, n: 1, promise: 'sla' })
    expect(onTime({ slaMs: 38 * 60_000 - 1 })).toEqual({ value: 0, n: 1, promise: 'sla' })
  })

  it('is the first that a delivery has: of the file, the quote, the SLA, the first ETA', () => {
    const file = new Map([['ORDER-1', minutes(30)]])
    const quotes = new Map([['ORDER-1', minutes(60)]])
    expect(onTime({ file, quotes, slaMs: 60_000 })).toEqual({ value: 0, n: 1, promise: 'file' })
    expect(onTime({ quotes, slaMs: 60_000 })).toEqual({ value: 1, n: 1, promise: 'quote' })
    expect(onTime({})).toEqual({ value: 1, n: 1, promise: 'firstEta' })
    expect(reportOn(facts).metrics.etaError).toEqual({ p50: 300, p90: 300, p95: 300, n: 1 })
  })

  it('is not invented: without one, deliveries are left out and counted', () => {
    const report = reportOn(delivery('del_1', way))
    expect(report.metrics.onTime).toEqual({ value: null, n: 0, promise: 'none' })
    expect(report.leftOut).toContainEqual({ name: 'noPromise', why: 'delivered without a promise', count: 1 })
  })
})

describe('Groups', () => {
  it('count hours and days by the clocks of the store, through a change of them', () => {
    // 2026-03-08, 02:00: New York goes from UTC-5 to UTC-4.
    const at = (time: string, id: string, state: string) =>
      delivery(id, [['accepted', 0]], { state }).map((fact) => ({ ...fact, occurredAtMs: Date.parse(time) }))
    const facts = [
      ...at('2026-03-08T06:30:00Z', 'del_1', 'NC'),
      ...at('2026-03-08T07:30:00Z', 'del_2', 'NC'),
      ...at('2026-03-08T07:30:00Z', 'del_3', 'HI'),
    ]
    const period = { fromMs: Date.parse('2026-03-08T00:00:00Z'), toMs: Date.parse('2026-03-09T00:00:00Z') }
    const keys = (by: 'hour' | 'day', timeZone?: string) =>
      reportOn(facts, { ...period, by, timeZone }).by?.map(({ key, deliveries }) => [key, deliveries])
    expect(keys('hour')).toEqual([
      ['01', 1],
      ['03', 1],
      ['21', 1],
    ])
    expect(keys('day')).toEqual([
      ['2026-03-07', 1],
      ['2026-03-08', 2],
    ])
    expect(keys('hour', 'UTC')).toEqual([
      ['06', 1],
      ['07', 2],
    ])
  })

  it('count hours by ZIP codes of five digits, and name those whose zone is not sure', () => {
    const to = (postalCode: string, state: string) =>
      delivery(`del_${postalCode}`, [['accepted', 0]], { state, postalCode }).map((fact) => ({
        ...fact,
        occurredAtMs: Date.parse('2026-01-05T15:00:00Z'),
      }))
    const facts = [to('42701', 'KY'), to('42712', 'KY'), to('37389', 'TN'), to('57601', 'SD'), to('42799', 'KY')].flat()
    const { report, activity } = reportFromEvents(facts, {
      fromMs: Date.parse('2026-01-05T00:00:00Z'),
      toMs: Date.parse('2026-01-06T00:00:00Z'),
      eventsSinceMs: 0,
      by: 'hour',
    })
    expect(report.by?.map(({ key, deliveries }) => [key, deliveries])).toEqual([
      ['09', 3],
      ['10', 1],
      ['15', 1],
    ])
    expect(unsureZonesText(activity)).toBe(
      '2 deliveries to 42712, 57601 by the time of America/Chicago, 1 delivery to 42799 by the time of UTC',
    )
  })

  it('have null for a delivery without a value, last', () => {
    const facts = [
      ...delivery('del_1', [['accepted', 0]]),
      ...delivery('del_2', [['accepted', 0]], { installationCode: 'FTBRAGG' }),
    ]
    expect(reportOn(facts, { by: 'installation' }).by?.map(({ key }) => key)).toEqual(['FTBRAGG', null])
  })
})

describe('A bound', () => {
  const report = reportOn(delivery('del_1', way, { totalPriceCents: 900 }))

  it.each([
    ['completion<0.95', false],
    ['completion>=1', true],
    ['timeToAssign.p90>200', true],
    ['timeToAssign.p90 <= 240', true],
    ['pricePerDropCents>899', true],
    ['metrics.completion<0.95', false],
    ['money.pricePerDropCents>899', true],
    ['deliveries<2', true],
    ['deliveries<1', false],
    ['onTime<0.95', undefined],
    ['returns.time.p50>1', undefined],
  ])('%s is broken: %s', (text, broken) => {
    expect(isBroken(parseBound(text), report)).toBe(broken)
  })

  it.each(['onTime', 'onTime=1', '<1', 'onTime<high'])('"%s" is refused', (text) => {
    expect(() => parseBound(text)).toThrow('is not a bound')
  })

  it.each([
    'punctuality<1',
    'timeToAssign<1',
    'toString<1',
    'onTime.promise<1',
  ])('on "%s", which is no figure, is refused', (text) => {
    expect(() => isBroken(parseBound(text), report)).toThrow('names no figure')
  })

  it('names the figures that there are', () => {
    const { hint } = thrownBy(() => parseBound('currency<1')) as UsageError
    expect(hint).toMatch(/^Figures are deliveries, timeToAssign, .*wasteCents/)
    expect(hint).not.toContain('currency')
  })
})

describe('An event', () => {
  const event: ReportableEvent = {
    eventId: 'evt_1',
    eventType: 'delivery.delivered',
    occurredAt: '2026-03-02T15:00:00Z',
    deliveryId: 'del_1',
    deliveryAttempts: 2,
    lastDeliveryStatus: 'delivered',
    data: {
      delivery: {
        clientOrderReference: 'ORDER-1',
        pickup: { storeReference: 'STORE-001' },
        dropoff: {
          address: '418 Ramsey Street, Fayetteville, NC 28301',
          contactName: 'Dana Whitfield',
          contactPhone: '+19105550147',
        },
        pricing: { currency: 'USD', totalPriceCents: 1_100, tipAmountCents: 200 },
        proofOfDelivery: [{ type: 'photo' }],
        resolvedVerification: {
          dropoff: { photo: { level: 'required' }, identity: { level: 'required' }, signature: { level: 'preferred' } },
        },
      },
    },
  }

  it('is read without what is personal in it', () => {
    const fact = eventFact(event)
    expect(fact).toMatchObject({
      storeReference: 'STORE-001',
      postalCode: '28301',
      state: 'NC',
      requiredProofs: ['photo'],
      proofs: ['photo'],
      attempts: 2,
    })
    expect(JSON.stringify(fact)).not.toMatch(/Dana|910555|Ramsey/)
  })

  it.each([
    null,
    'text',
    { delivery: null },
    { delivery: { dropoff: 4, pricing: 'free', proofOfDelivery: {} } },
  ])('with %j for a body is read all the same', (data) => {
    expect(eventFact({ ...event, data })).toMatchObject({ eventId: 'evt_1', deliveryId: 'del_1' })
  })

  it('without a time is passed over', () => {
    expect(eventFact({ ...event, occurredAt: 'soon' })).toBeUndefined()
  })
})
