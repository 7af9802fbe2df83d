import { describe, expect, it } from 'vitest'
import { countryMap } from '../../src/drawings/country-map.generated.js'
import { markupOf } from '../../src/drawings/local-map.js'
import { marketShape, marketsShape } from '../../src/drawings/market-map.js'
import { roundedSpan } from '../../src/shared/durations.js'
import { columnsOf, drawnDeliveries, type MarketGroup, marketsOf, problemNow } from '../../src/ui/page/models/board.js'
import { etaLine, gapPixels, timelineOf } from '../../src/ui/page/models/delivery.js'
import { noneSentText, sentText } from '../../src/ui/page/models/event.js'
import { requestOf } from '../../src/ui/page/models/form.js'
import { chainOf, eventTypesOf, filteredRows, filterOf, rowsOf } from '../../src/ui/page/models/live-rows.js'
import { chosen } from '../../src/ui/page/models/palette.js'
import { ageText, clockText, priceText } from '../../src/ui/page/models/text.js'
import { readEvents } from '../../src/ui/page/state/sse.js'
import type { FormField } from '../../src/ui/wire/deliveries.js'
import type { DeliverySummary, LiveItem } from '../../src/ui/wire/live.js'

const atMs = Date.parse('2026-03-02T15:00:00Z')
const minutes = (count: number) => new Date(atMs + count * 60_000).toISOString()

function summary(changes: Partial<DeliverySummary>): DeliverySummary {
  return {
    deliveryId: 'del_1',
    reference: 'A-1',
    status: 'accepted',
    createdAt: null,
    updatedAt: minutes(0),
    ...changes,
  }
}

it.each([
  ['all', '1,000 events sent', 'has been sent yet'],
  ['day', '1,000 events sent in the last day', 'in the last day'],
  ['newest', '1,000 events sent, among the newest 1,000 of the last day', 'newest 1,000'],
] as const)('Of %s that was looked through, the Webhooks screen says so', (reach, text, none) => {
  expect(sentText({ matching: 1_000, reach })).toBe(text)
  expect(sentText({ matching: 1_000, reach }, 2)).toBe(text.replace('1,000 of', '1,000 of each account of'))
  expect(noneSentText[reach]).toContain(none)
})

describe('The board', () => {
  it('keeps a failure among the problems for a day, and shows a new status under way', () => {
    const nameOf = (changes: Partial<DeliverySummary>) =>
      columnsOf([summary(changes)], () => atMs).find(({ deliveries }) => deliveries.length > 0)?.name
    expect(nameOf({ status: 'failed', updatedAt: minutes(-60) })).toBe('Problems')
    expect(nameOf({ status: 'failed', updatedAt: minutes(-60 * 25) })).toBe('Done')
    expect(nameOf({ status: 'held' })).toBe('Other')
    expect(columnsOf([], () => atMs).map(({ name }) => name)).toEqual([
      'Problems',
      'Waiting',
      'To pickup',
      'To dropoff',
      'Done',
    ])
  })

  it('puts late deliveries first, then the one that moved last, and says why', () => {
    const assigned = (deliveryId: string, updated: number, promised?: number) =>
      summary({
        deliveryId,
        status: 'driver_assigned',
        updatedAt: minutes(updated),
        ...(promised === undefined ? {} : { promise: { by: minutes(promised), source: 'quote' } }),
      })
    const drawn = [
      assigned('old', -60),
      assigned('fresh', -1, 10),
      assigned('late', -90, -6),
      assigned('later', -99, -40),
    ]
    const columns = columnsOf(drawn, () => atMs).filter(({ deliveries }) => deliveries.length > 0)
    expect(columns.map(({ name, deliveries }) => [name, deliveries.map(({ deliveryId }) => deliveryId)])).toEqual([
      ['Problems', ['later', 'late']],
      ['To pickup', ['fresh', 'old']],
    ])
    expect(problemNow(assigned('late', -90, -6), atMs)?.text).toBe('6 min late')
    expect(problemNow(summary({ status: 'accepted', since: minutes(-97) }), atMs)?.text).toBe('no driver for 97 min')
  })
})

describe('The markets', () => {
  it('are the stores of what is under way, those with most trouble first, each with the late ones first', () => {
    const promised = (deliveryId: string, store: string, by: number) =>
      summary({ deliveryId, store, status: 'driver_assigned', promise: { by: minutes(by), source: 'quote' } })
    const at = { latitude: 35, longitude: -79 }
    const markets = marketsOf(
      [
        promised('fine', 'STORE-1', 30),
        { ...promised('late', 'STORE-2', -12), to: at },
        { ...promised('later', 'STORE-2', -40), to: { latitude: 37, longitude: -81 }, at },
        summary({ deliveryId: 'over', store: 'STORE-3', status: 'delivered' }),
        summary({ deliveryId: 'nowhere' }),
      ],
      () => atMs,
    )
    expect(markets.map(({ store, underWay, troubled, at }) => [store, underWay, troubled, at?.latitude])).toEqual([
      ['STORE-2', 2, 2, 36],
      ['STORE-1', 1, 0, undefined],
      ['no store', 1, 0, undefined],
    ])
    const drawn = drawnDeliveries(markets[0] as MarketGroup, () => [])
    expect(drawn.map(({ id, lateMinutes, trail }) => [id, lateMinutes, trail])).toEqual([
      ['later', 40, [at]],
      ['late', 12, []],
    ])
    const text = markupOf(marketShape({ name: 'STORE-2', at }, drawn, { width: 400, height: 300, fontSize: 12 }))
    expect(text).toContain('>40 min<')
    expect(text).not.toContain('NaN')
  })

  it('that lie at the same place are drawn beside each other, each with its number', () => {
    const at = { latitude: 38.9, longitude: -77 }
    const markets = ['STORE-1', 'STORE-2', 'STORE-3'].map((store) => ({ store, at, underWay: 9, troubled: 1 }))
    for (const pixels of [1_000, 340]) {
      const text = markupOf(marketsShape(countryMap, markets, pixels))
      const marks = [...text.matchAll(/<text x="([\d.-]+)" y="([\d.-]+)".+?font-size="([\d.]+)"/g)]
      const places = marks.map(([, x, y]) => [Number(x), Number(y)])
      expect(places).toHaveLength(3)
      // Two digits stand beside each other, in 12 pixels or more.
      const size = Number(marks[0]?.[3])
      expect((size * pixels) / countryMap.width).toBeGreaterThan(12)
      for (const [index, [x = 0, y = 0]] of places.entries())
        for (const [otherX = 0, otherY = 0] of places.slice(index + 1))
          expect(Math.hypot(x - otherX, y - otherY)).toBeGreaterThan(1.3 * size)
    }
  })
})

describe('A form', () => {
  const field = (path: string, type: FormField['type'], value = ''): FormField => ({
    path,
    type,
    value,
    required: false,
  })
  const fields = [
    { ...field('clientOrderReference', 'text'), required: true },
    field('dropoff.address.city', 'text'),
    field('package.itemsCount', 'integer'),
    field('package.contains', 'list'),
    field('verification.dropoff.signature.collectSignerName', 'boolean'),
    field('metadata', 'json'),
  ]

  it('leaves empty fields out, and says what cannot be sent', () => {
    expect(requestOf(fields, { 'package.itemsCount': '3.5', metadata: '{' })).toEqual({
      value: {},
      problems: {
        clientOrderReference: 'is required',
        'package.itemsCount': 'must be a whole number',
        metadata: 'must be JSON',
      },
    })
  })
})

describe('The rows of the stream', () => {
  const line = (id: number, changes: Partial<LiveItem>): LiveItem => ({
    id,
    kind: 'event',
    at: minutes(id),
    placeMs: Date.parse(minutes(id)),
    title: 'delivery.accepted',
    status: 'accepted',
    outcome: 'neutral',
    ...changes,
  })
  const order = { deliveryId: 'del_1', reference: 'ORDER-1' }
  const lines = [
    line(1, { ...order, eventId: 'evt_1' }),
    line(2, { ...order, eventId: 'evt_1', kind: 'attempt', outcome: 'warn', status: '500', detail: 'http://a/' }),
    line(3, { deliveryId: 'del_2', kind: 'request', title: 'POST /deliveries', outcome: 'good', requestId: 'req_9' }),
    // The sandbox's clock was moved back by an hour.
    line(4, { deliveryId: 'del_2', eventId: 'evt_2', at: minutes(-56), title: 'delivery.failed' }),
    line(5, { kind: 'rejected', eventId: 'evt_9', title: 'bad_signature', outcome: 'bad' }),
  ]
  const found = (query: string, shown = lines) =>
    filteredRows(rowsOf(shown), filterOf(new URLSearchParams(query))).map(({ key }) => key)

  it('are one an event, in the order of arrival, whichever way the clock was moved', () => {
    expect(found('')).toEqual(['line 5', 'evt_2', 'line 3', 'evt_1'])
    const [first, request] = rowsOf(lines)
    expect(first?.lines.map(({ id }) => id)).toEqual([1, 2])
    expect(request?.caused?.eventId).toBe('evt_2')
  })

  it('stand by their times, newest first, also if a history arrives order by order', () => {
    const history = [1, 40, 58, 2, 39, 60].map((minute, index) =>
      line(index + 10, { eventId: `evt_${minute}`, at: minutes(minute), placeMs: Date.parse(minutes(minute)) }),
    )
    expect(found('', history)).toEqual(['evt_60', 'evt_58', 'evt_40', 'evt_39', 'evt_2', 'evt_1'])
  })

  it('say how the event fares now: what was retried and then arrived is good', () => {
    const sent = line(6, {
      ...order,
      eventId: 'evt_1',
      kind: 'attempt',
      outcome: 'good',
      status: '200',
      detail: 'http://a/',
    })
    const verified = line(7, { eventId: 'evt_1', kind: 'webhook', outcome: 'good', status: 'verified' })
    expect(found('status=warn')).toEqual(['evt_1'])
    expect(found('status=warn', [...lines, sent])).toEqual([])
    const [row] = rowsOf([...lines, verified, sent])
    expect(row && chainOf(row).map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'attempt 200',
      'webhook verified',
    ])
    const other = line(6, {
      ...order,
      eventId: 'evt_1',
      kind: 'attempt',
      outcome: 'good',
      status: '200',
      detail: 'http://b/',
    })
    expect(found('status=warn', [...lines, other])).toEqual(['evt_1'])
  })

  it('take every word of the search, the kind and the status', () => {
    expect(found('q=order-1 500')).toEqual(['evt_1'])
    expect(found('q=REQ_9')).toEqual(['line 3'])
    expect(found('kind=event')).toEqual(['evt_2', 'evt_1'])
    expect(found('status=bad')).toEqual(['line 5'])
    expect(found('q=nothing')).toEqual([])
    expect(found('type=delivery.accepted')).toEqual(['evt_1'])
    expect(eventTypesOf(rowsOf(lines), 'delivery.x')).toEqual(['delivery.accepted', 'delivery.failed', 'delivery.x'])
  })
})

describe('A timeline', () => {
  it('knows the time between two statuses, and grows with it', () => {
    const statusHistory = [
      { status: 'accepted', occurredAt: minutes(0) },
      { status: 'driver_assigned', occurredAt: minutes(3) },
      { status: 'delivered', occurredAt: minutes(63) },
    ]
    const steps = timelineOf({ statusHistory })
    expect(steps.map(({ gapMs }) => gapMs)).toEqual([undefined, 180_000, 3_600_000])
    const [first = 0, second = 0, third = 0] = steps.map(({ gapMs }) => gapPixels(gapMs))
    expect(first).toBeLessThan(second)
    expect(second).toBeLessThan(third)
    expect(gapPixels(30 * 86_400_000)).toBeLessThanOrEqual(60)
    expect(timelineOf({ statusHistory: null })).toEqual([])
  })

  it('says how far an estimate has moved', () => {
    const eta = (dropoff: string) => ({ at: minutes(0), pickup: null, dropoff })
    expect(etaLine([], atMs)).toBe('')
    expect(etaLine([eta(minutes(10))], atMs)).toBe('15:10')
    expect(etaLine([eta(minutes(10)), eta(minutes(22))], atMs)).toBe('15:22, 12m later than first')
  })
})

describe('Words', () => {
  it('say spans and ages', () => {
    expect([3_000, 300_000, 5_400_000, 7_200_000, 180_000_000].map(roundedSpan)).toEqual([
      '3s',
      '5m',
      '1h 30m',
      '2h',
      '2d 2h',
    ])
    expect(ageText(minutes(-5), atMs)).toBe('5m ago')
    expect(ageText(minutes(90), atMs)).toBe('in 1h 30m')
    expect(ageText('never', atMs)).toBe('')
  })

  it('are found in the palette by their letters, those that begin with them first', () => {
    const choices = ['Deliveries', 'Live', 'Time and faults', 'ORDER-77'].map((text) => ({ text }))
    const texts = (query: string) => chosen(choices, query).map(({ text }) => text)
    expect(texts('li')).toEqual(['Live', 'Deliveries'])
    expect(texts('tf')).toEqual(['Time and faults'])
    expect(texts('77')).toEqual(['ORDER-77'])
    expect(texts('xyz')).toEqual([])
  })
})

describe('Server-sent events', () => {
  it('are read whole however the bytes are cut', async () => {
    const text = 'event: items\nid: 3\ndata: [{"a":"é"}]\n\n: still here\n\nevent: clock\ndata: {}\n\n'
    const bytes = new TextEncoder().encode(text)
    for (const size of [1, 2, 7, bytes.length]) {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size))
          controller.close()
        },
      })
      const found = []
      for await (const event of readEvents(body)) found.push(event)
      expect(found).toEqual([
        { event: 'items', data: '[{"a":"é"}]' },
        { event: 'clock', data: '{}' },
      ])
    }
  })
})

describe('A text of the page', () => {
  it('has the year of a time that is not of this year', () => {
    const nowMs = Date.parse('2026-01-02T00:30:00Z')
    expect(clockText('2026-01-02T00:10:00Z', nowMs)).toBe('00:10:00')
    expect(clockText('2026-01-01T00:10:00Z', nowMs)).toBe('Jan 1 00:10:00')
    expect(clockText('2025-12-31T23:59:00Z', nowMs)).toBe('Dec 31, 2025 23:59:00')
  })

  it('has the currency of an amount, which is dollars if none is told', () => {
    expect([undefined, null, 'USD', 'CAD'].map((currency) => priceText(123_456, currency))).toEqual([
      '$1,234.56',
      '$1,234.56',
      '$1,234.56',
      '1,234.56 CAD',
    ])
  })
})
