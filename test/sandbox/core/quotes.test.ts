import { describe, expect, test } from 'vitest'
import type { DeliveryCreate, QuoteResponse } from '../../../src/contract/index.js'
import type { Force } from '../../../src/sandbox/model.js'
import { dropoffAt, mondayMorningMs, refusalOf, TestShell } from '../../support/sandbox/core-world.js'

type QuoteOrder = Partial<Pick<DeliveryCreate, 'clientOrderReference' | 'pickup' | 'timeWindows' | 'package'>> & {
  dropoff?: Partial<DeliveryCreate['dropoff']>
}

const address = '200 Hay St, Fayetteville, NC 28301'

function quote(shell: TestShell, { dropoff, ...order }: QuoteOrder = {}, force?: Force): QuoteResponse {
  const body = { pickup: { storeReference: 'STORE-001' }, ...order, dropoff: { address, ...dropoff } }
  return shell.call('createQuote', { body, ...(force === undefined ? {} : { force }) }).body as QuoteResponse
}

describe('quotes', () => {
  test('are one to three, dearer with the level of service, and the same again', () => {
    const shell = new TestShell()
    const { quotes, expiresAt } = quote(shell)
    expect(quotes.length).toBeGreaterThanOrEqual(1)
    expect(expiresAt).toBe('2026-03-02T15:15:00.000Z')
    expect(quotes.map(({ totalPriceCents }) => totalPriceCents)).toEqual(
      quotes.map(({ totalPriceCents }) => totalPriceCents).toSorted((a, b) => a - b),
    )
    const again = quote(shell).quotes
    expect(again.map(({ quoteId, ...rest }) => rest)).toEqual(quotes.map(({ quoteId, ...rest }) => rest))
    expect(again[0]?.quoteId).not.toBe(quotes[0]?.quoteId)
  })

  test('hold for the order that names them', () => {
    const shell = new TestShell()
    for (const { quoteId, totalPriceCents } of quote(shell).quotes) {
      expect(shell.create({ quoteId }).deliveryFeeCents).toBe(totalPriceCents)
    }
  })

  test('are the standard price for an order without one', () => {
    const shell = new TestShell()
    const standard = quote(shell).quotes.find(({ carrierId }) => carrierId === 'car_std')
    expect(shell.create().deliveryFeeCents).toBe(standard?.totalPriceCents)
  })

  test('hold for their store, their ZIP code and their account alone', () => {
    const shell = new TestShell()
    const [{ quoteId = '' } = {}] = quote(shell).quotes
    expect(refusalOf(() => shell.create({ quoteId, pickup: { storeReference: 'STORE-SLOW' } }))).toBe(
      '422 VALIDATION_ERROR',
    )
    const dropoff = { address: '1 Main St, Fayetteville, NC 28303', contactName: 'S', contactPhone: '+19105550142' }
    expect(refusalOf(() => shell.create({ quoteId, dropoff }))).toBe('422 VALIDATION_ERROR')
    shell.account = new TestShell({ apiKey: 'dlvk_sbx_fast' }).account
    expect(refusalOf(() => shell.create({ quoteId }))).toBe('422 VALIDATION_ERROR')
  })

  test('promise arrivals in order, later where a gate has to be passed', () => {
    const shell = new TestShell()
    const arrivals = (order: QuoteOrder) => {
      const [first] = quote(shell, order).quotes
      return [Date.parse(first?.pickupEta ?? ''), Date.parse(first?.dropoffEta ?? '')]
    }
    const [pickup = 0, dropoff = 0] = arrivals({ dropoff: { address: '4 Reilly Rd, Fort Bragg, NC 28310' } })
    expect(pickup).toBeGreaterThan(mondayMorningMs)
    expect(dropoff).toBeGreaterThan(pickup)
    const gated = arrivals({
      dropoff: { address: '4 Reilly Rd, Fort Bragg, NC 28310', installation: { code: 'FTBRAGG' } },
    })
    expect((gated[1] ?? 0) - dropoff).toBe(8 * 60_000)
  })

  test('come from the own fleet for an account that has one', () => {
    const { quotes } = quote(new TestShell({ apiKey: 'dlvk_sbx_ownedfleet' }))
    expect(quotes.map(({ carrierId, carrierName }) => [carrierId, carrierName])).toEqual([['car_own', 'Own Fleet']])
  })

  test('leave out levels that do not carry out what is required', () => {
    const shell = new TestShell()
    const body = {
      pickup: { storeReference: 'STORE-001' },
      dropoff: { address },
      verification: { dropoff: { barcode: { level: 'required' as const } } },
    }
    for (const postalCode of ['28301', '28303', '28304', '28305', '28306', '28311', '28314']) {
      const dropoff = { address: `1 Main St, Fayetteville, NC ${postalCode}` }
      const { quotes } = shell.call('createQuote', { body: { ...body, dropoff } }).body as QuoteResponse
      expect(quotes.map(({ carrierId }) => carrierId)).not.toContain('car_eco')
    }
  })
})

describe('there is no quote', () => {
  test('from the store nobody drives to', () => {
    const shell = new TestShell()
    const order = { pickup: { storeReference: 'STORE-NOPROVIDER' } }
    expect(quote(shell, order)).toMatchObject({ quotes: [], expiresAt: null, noQuoteReason: 'OUTSIDE_COVERAGE' })
    expect(shell.quotes.size).toBe(0)
  })

  test.each([
    ['05:59', 'OUTSIDE_HOURS'],
    ['06:00', undefined],
    ['22:59', undefined],
    ['23:00', 'OUTSIDE_HOURS'],
  ])('at %s where the store is: %s', (clock, reason) => {
    const shell = new TestShell({ nowMs: Date.parse(`2026-03-02T${clock}:00-05:00`) })
    expect(quote(shell).noQuoteReason).toBe(reason)
    expect(shell.create().status).toBe('accepted')
  })
})

test.each<[string, string, QuoteOrder]>([
  ['military mail', '422 UNSUPPORTED_DESTINATION', { dropoff: { address: 'CMR 4 Box 2, APO, AE 09021' } }],
  [
    'prohibited cargo',
    '422 PROHIBITED_CARGO_FOR_DESTINATION',
    { dropoff: dropoffAt('ZZDRY'), package: { contains: ['alcohol'] } },
  ],
  ['an unknown store', '422 INVALID_STORE_REFERENCE', { pickup: { storeReference: 'STORE-UNKNOWN' } }],
])('a quote for %s is refused', (_, refusal, order) => {
  expect(refusalOf(() => quote(new TestShell(), order))).toBe(refusal)
})
