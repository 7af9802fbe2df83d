import { describe, expect, test } from 'vitest'
import type { DeliveryCreate, QuoteCreate, QuoteResponse, Serviceability } from '../../../src/contract/index.js'
import { mondayMorningMs, refusalOf, TestShell, testOrder } from '../../support/sandbox/core-world.js'

type Dropoff = Partial<DeliveryCreate['dropoff']>

/** What create, quotes and serviceability each say of one stop. */
function verdictsOn(dropoff: Dropoff, nowMs = mondayMorningMs, timeWindows?: DeliveryCreate['timeWindows']) {
  const shell = new TestShell({ nowMs })
  const order = testOrder({
    dropoff: dropoff as DeliveryCreate['dropoff'],
    ...(timeWindows === undefined ? {} : { timeWindows }),
  })
  const { clientOrderReference: _, ...quote } = order
  const create = refusalOf(() => shell.create(order)) ?? 'created'
  let quotes: string | undefined
  try {
    const answer = shell.call('createQuote', { body: quote as QuoteCreate }).body as QuoteResponse
    quotes = answer.noQuoteReason ?? 'quoted'
  } catch (error) {
    quotes = refusalOf(() => {
      throw error
    })
  }
  const { address, installation } = order.dropoff
  const answer = shell.call('checkServiceability', { body: { dropoff: { address, installation } } })
  const { reasonCode } = answer.body as Serviceability
  return { create, quotes, serviceability: reasonCode ?? 'serviceable' }
}

const bragg = (address: string) => ({ address, installation: { code: 'FTBRAGG' } })

describe('create, quotes and serviceability agree on', () => {
  test.each<[string, Dropoff, ReturnType<typeof verdictsOn>]>([
    [
      'an installation at its own address',
      bragg('4 Reilly Rd, Fort Bragg, NC 28310'),
      { create: 'created', quotes: 'quoted', serviceability: 'serviceable' },
    ],
    [
      'an installation in the town next to it',
      bragg('200 Hay St, Fayetteville, NC 28301'),
      { create: 'created', quotes: 'quoted', serviceability: 'serviceable' },
    ],
    [
      'an installation with an address in another state',
      bragg('1 Main St, Killeen, TX 76541'),
      { create: '422 INVALID_ADDRESS', quotes: '422 INVALID_ADDRESS', serviceability: 'address_not_found' },
    ],
    [
      'an installation with the ZIP code of another state',
      bragg('1 Main St, Fort Bragg, NC 90210'),
      { create: '422 INVALID_ADDRESS', quotes: '422 INVALID_ADDRESS', serviceability: 'address_not_found' },
    ],
    [
      'an installation with an address in Beverly Hills',
      bragg('1 Rodeo Dr, Beverly Hills, CA 90210'),
      { create: '422 INVALID_ADDRESS', quotes: '422 INVALID_ADDRESS', serviceability: 'address_not_found' },
    ],
    [
      'an installation with an address at the other end of its state',
      bragg('1 Main St, Asheville, NC 28801'),
      { create: '422 INVALID_ADDRESS', quotes: '422 INVALID_ADDRESS', serviceability: 'address_not_found' },
    ],
    [
      'an address that is too far from every store',
      { address: '2 Main St, Billings, MT 59101' },
      { create: '422 NO_ELIGIBLE_PROVIDERS', quotes: 'OUTSIDE_COVERAGE', serviceability: 'outside_service_area' },
    ],
    [
      'an invented installation, wherever its address is',
      { address: '200 Hay St, Fayetteville, NC 28301', installation: { code: 'ZZOK' } },
      { create: 'created', quotes: 'quoted', serviceability: 'serviceable' },
    ],
  ])('%s', (_, dropoff, expected) => {
    expect(verdictsOn(dropoff)).toEqual(expected)
  })

  const gate = (name: string) => ({
    address: '4 Reilly Rd, Fort Bragg, NC 28310',
    installation: { code: 'FTBRAGG', gate: name },
  })
  const mondayNightMs = Date.parse('2026-03-03T03:00:00Z') // 22:00 at Fort Bragg, an hour after the truck plaza has closed

  test.each<[string, Dropoff, number, ReturnType<typeof verdictsOn>]>([
    [
      'a gate that is open',
      gate('Knox Street Truck Plaza'),
      mondayMorningMs,
      { create: 'created', quotes: 'quoted', serviceability: 'serviceable' },
    ],
    [
      'a gate that is closed, although another is open',
      gate('Knox Street Truck Plaza'),
      mondayNightMs,
      { create: '422 VALIDATION_ERROR', quotes: '422 VALIDATION_ERROR', serviceability: 'gate_closed' },
    ],
    [
      'a gate that is not for commercial vehicles',
      gate('All American Freeway ACP'),
      mondayMorningMs,
      { create: '422 VALIDATION_ERROR', quotes: '422 VALIDATION_ERROR', serviceability: 'gate_not_commercial' },
    ],
    [
      'a gate that does not exist',
      gate('Back Door'),
      mondayMorningMs,
      { create: '422 VALIDATION_ERROR', quotes: '422 VALIDATION_ERROR', serviceability: 'unknown_gate' },
    ],
  ])('%s', (_, dropoff, nowMs, expected) => {
    expect(verdictsOn(dropoff, nowMs)).toEqual(expected)
  })

  test('a named gate that is closed throughout the window, and one that opens in it', () => {
    const knox = gate('Knox Street Truck Plaza')
    const window = (start: string, end: string) =>
      ({ deliveryMode: 'scheduled', dropoff: { start, end } }) satisfies DeliveryCreate['timeWindows']
    const late = verdictsOn(knox, mondayMorningMs, window('2026-03-03T02:10:00Z', '2026-03-03T03:30:00Z'))
    expect([late.create, late.quotes]).toEqual(['422 INVALID_TIME_CONSTRAINT', '422 INVALID_TIME_CONSTRAINT'])
    const inTime = verdictsOn(knox, mondayNightMs, window('2026-03-03T15:00:00Z', '2026-03-03T16:00:00Z'))
    expect([inTime.create, inTime.quotes]).toEqual(['created', 'quoted'])
  })

  test('when a closed gate opens again', () => {
    const shell = new TestShell({ nowMs: mondayNightMs })
    const { body } = shell.call('checkServiceability', { body: { dropoff: gate('Knox Street Truck Plaza') } })
    expect(body).toMatchObject({ retryAfter: '2026-03-03T10:00:00.000Z' })
    let message = ''
    try {
      shell.create({ dropoff: gate('Knox Street Truck Plaza') as DeliveryCreate['dropoff'] })
    } catch (error) {
      message = String(error)
    }
    expect(message).toContain('is closed: "Knox Street Truck Plaza" until 2026-03-03T10:00:00.000Z')
  })
})

describe('create and quotes agree on a window', () => {
  const at = (start: string, end: string) => ({ start, end })
  /** On the next morning at the store, which opens at six. */
  const [one, fiveThirty, fiveFiftyNine, six, sixOhOne, sixTen, sixForty] = [
    '2026-03-03T01:00:00-05:00',
    '2026-03-03T05:30:00-05:00',
    '2026-03-03T05:59:00-05:00',
    '2026-03-03T06:00:00-05:00',
    '2026-03-03T06:01:00-05:00',
    '2026-03-03T06:10:00-05:00',
    '2026-03-03T06:40:00-05:00',
  ] as const
  const refused = { create: '422 INVALID_TIME_CONSTRAINT', quotes: 'OUTSIDE_HOURS' }
  const taken = { create: 'created', quotes: 'quoted' }
  const tooEarly = { create: '422 INVALID_TIME_CONSTRAINT', quotes: '422 INVALID_TIME_CONSTRAINT' }

  test.each<[string, Omit<NonNullable<DeliveryCreate['timeWindows']>, 'deliveryMode'>, object]>([
    ['for the dropoff at night', { dropoff: at(one, '2026-03-03T08:00:00Z') }, refused],
    ['for the dropoff before the store can have opened', { dropoff: at(fiveThirty, sixOhOne) }, refused],
    ['for the dropoff that a pickup at opening time reaches', { dropoff: at(sixTen, sixForty) }, taken],
    ['for the dropoff after closing time', { dropoff: at('2026-03-04T05:00:00Z', '2026-03-04T06:00:00Z') }, refused],
    ['for the pickup at night', { pickup: at(one, fiveFiftyNine) }, refused],
    ['for the pickup that ends as the store opens', { pickup: at(one, six) }, refused],
    ['for the pickup that ends a minute later', { pickup: at(one, sixOhOne) }, taken],
    [
      'for the pickup that begins as the store closes',
      { pickup: at('2026-03-03T04:00:00Z', '2026-03-03T05:00:00Z') },
      refused,
    ],
    [
      'for the dropoff that ends in two minutes',
      { dropoff: at('2026-03-02T15:00:00Z', '2026-03-02T15:02:00Z') },
      tooEarly,
    ],
    [
      'for the dropoff that no pickup in its window reaches',
      {
        pickup: at('2026-03-02T20:00:00Z', '2026-03-02T21:00:00Z'),
        dropoff: at('2026-03-02T20:00:00Z', '2026-03-02T20:02:00Z'),
      },
      tooEarly,
    ],
    [
      'for the dropoff of a package that waits for it',
      {
        pickup: at('2026-03-02T20:00:00Z', '2026-03-02T21:00:00Z'),
        dropoff: at('2026-03-03T05:00:00Z', '2026-03-03T06:00:00Z'),
      },
      taken,
    ],
  ])('%s', (_, windows, expected) => {
    const dropoff = { address: '200 Hay St, Fayetteville, NC 28301' }
    const { create, quotes } = verdictsOn(dropoff, mondayMorningMs, { deliveryMode: 'scheduled', ...windows })
    expect({ create, quotes }).toEqual(expected)
  })

  test('and quote arrivals within it', () => {
    const shell = new TestShell()
    const { clientOrderReference: _, ...quote } = testOrder()
    const dropoff = at(sixTen, sixForty)
    const body = { ...quote, timeWindows: { deliveryMode: 'scheduled' as const, dropoff } }
    const { quotes } = shell.call('createQuote', { body }).body as QuoteResponse
    expect(quotes.length).toBeGreaterThan(0)
    for (const { pickupEta, dropoffEta } of quotes) {
      expect(Date.parse(String(pickupEta))).toBeGreaterThanOrEqual(Date.parse(six))
      expect(Date.parse(String(dropoffEta))).toBeGreaterThanOrEqual(Date.parse(sixTen))
      expect(Date.parse(String(dropoffEta))).toBeLessThanOrEqual(Date.parse(sixForty))
    }
  })
})
