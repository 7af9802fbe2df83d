import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { DeliveryCreate } from '../../../src/contract/index.js'
import { distanceKm, locateZip } from '../../../src/sandbox/core/geo/geography.js'
import { roadKm } from '../../../src/sandbox/core/geo/places.js'
import { ordinaryStores, stores } from '../../../src/sandbox/core/geo/stores.js'
import { cancellationFeeCents, deliveryFeeCents, type PriceInput } from '../../../src/sandbox/core/pricing.js'
import { fc } from '../../support/samples.js'
import { mondayMorningMs, TestShell } from '../../support/sandbox/core-world.js'

const [store] = stores
if (store === undefined) throw new Error('no stores')

function testInput(changes: Partial<PriceInput> = {}): PriceInput {
  return {
    store: store as PriceInput['store'],
    zip: '28301',
    distanceKm: 3,
    order: {},
    installation: undefined,
    carrier: { priceFactor: 1 },
    pricedAtMs: mondayMorningMs,
    pickupAtMs: mondayMorningMs,
    ...changes,
  }
}

/** The price of one thing with the jitter taken out of it: what the sum before it must have been. */
const base = deliveryFeeCents(testInput())
const jitter = base / 775
const shareOf = (changes: Partial<PriceInput>) => Math.round(deliveryFeeCents(testInput(changes)) / jitter)
const order = (changes: Partial<DeliveryCreate>) => ({ order: changes })

describe('the fee', () => {
  test('is 775 cents for up to 5 km, give or take 4 %', () => {
    expect(base).toBeGreaterThanOrEqual(744)
    expect(base).toBeLessThanOrEqual(806)
    expect(shareOf({ distanceKm: 5 })).toBe(775)
  })

  test.each<[string, Partial<PriceInput>, number]>([
    ['a kilometre more', { distanceKm: 6 }, 775 + 46],
    ['a started hundred metres', { distanceKm: 5.01 }, 775 + 4.6],
    ['40 km', { distanceKm: 40 }, 775 + 35 * 46],
    ['10 kg', order({ package: { weightGrams: 10_000 } }), 775],
    ['a gram more', order({ package: { weightGrams: 10_001 } }), 875],
    ['15,001 g', order({ package: { weightGrams: 15_001 } }), 975],
    ['an identity card at the gate', { installation: { accessLevel: 'id_required' } }, 1125],
    ['an escort', { installation: { accessLevel: 'escort_required' } }, 1375],
    ['a restricted place', { installation: { accessLevel: 'restricted' } }, 1675],
    ['a cold chain', order({ package: { contains: ['perishable_cold_chain'] } }), 1025],
    ['alcohol', order({ package: { contains: ['alcohol'] } }), 975],
    ['a barcode', order({ verification: { dropoff: { barcode: { level: 'required' } } } }), 825],
    ['a signature', order({ verification: { dropoff: { signature: { level: 'required' } } } }), 775],
    ['a scheduled window', order({ timeWindows: { deliveryMode: 'scheduled' } }), 725],
    ['the night', { pickupAtMs: mondayMorningMs + 12 * 3_600_000 }, 775 * 1.15],
    ['economy', { carrier: { priceFactor: 0.93 } }, 775 * 0.93],
    ['priority', { carrier: { priceFactor: 1.18 } }, 775 * 1.18],
  ])('counts %s', (_, changes, cents) => {
    expect(Math.abs(shareOf(changes) - cents)).toBeLessThanOrEqual(1)
  })

  test('is the same for the same input, and within 4 % of itself at any other time', () => {
    const property = fc.property(
      fc.integer({ min: 0, max: 4e12 }),
      fc.double({ min: 0, max: 40, noNaN: true }),
      fc.stringMatching(/^\d{5}$/),
      (pricedAtMs, km, zip) => {
        const input = testInput({ pricedAtMs, distanceKm: km, zip })
        const cents = deliveryFeeCents(input)
        expect(deliveryFeeCents({ ...input })).toBe(cents)
        expect(Number.isInteger(cents)).toBe(true)
        const plain = 775 + Math.ceil(Math.max(0, km - 5) * 10 - 1e-9) * 4.6
        expect(Math.abs(cents / plain - 1)).toBeLessThanOrEqual(0.0411)
      },
    )
    fc.assert(property)
  })

  test('is rounded half up, once and at the end', () => {
    const property = fc.property(fc.integer({ min: 0, max: 4e12 }), (pricedAtMs) => {
      const exact = deliveryFeeCents(testInput({ pricedAtMs, carrier: { priceFactor: 1_000_000 } })) / 1_000_000
      expect(deliveryFeeCents(testInput({ pricedAtMs }))).toBe(Math.floor(exact + 0.5))
    })
    fc.assert(property)
  })

  test('is what it was for a few well-known routes', () => {
    const fees = ['28301', '28303', '28310', '28348'].map((zip) => deliveryFeeCents(testInput({ zip })))
    expect(fees).toEqual([802, 780, 764, 786])
  })

  test('never falls with the distance or the weight', () => {
    const property = fc.property(
      fc.double({ min: 0, max: 40, noNaN: true }),
      fc.double({ min: 0, max: 40, noNaN: true }),
      fc.nat(22_700),
      fc.nat(22_700),
      (km, otherKm, grams, otherGrams) => {
        const price = (distance: number, weightGrams: number) =>
          deliveryFeeCents(testInput({ distanceKm: distance, order: { package: { weightGrams } } }))
        expect(price(Math.min(km, otherKm), Math.min(grams, otherGrams))).toBeLessThanOrEqual(
          price(Math.max(km, otherKm), Math.max(grams, otherGrams)),
        )
      },
    )
    fc.assert(property)
  })

  test('holds for a quarter of an hour, in another sandbox too', () => {
    const quarter = 15 * 60_000
    const price = (nowMs: number) => new TestShell({ nowMs }).create().deliveryFeeCents
    expect(price(mondayMorningMs + quarter - 1)).toBe(price(mondayMorningMs))
    const later = Array.from({ length: 8 }, (_, index) => price(mondayMorningMs + (index + 1) * quarter))
    expect(new Set(later).size).toBeGreaterThan(3)
  })
})

describe('cancelling costs', () => {
  test.each([
    ['scheduled', 0],
    ['accepted', 0],
    ['dispatch_failed', 0],
    ['driver_assigned', 300],
    ['driver_enroute_to_pickup', 300],
    ['reassigning', 300],
    ['driver_at_pickup', 401],
    ['pickup_complete', 801],
    ['driver_enroute_to_dropoff', 801],
    ['driver_at_dropoff', 801],
    ['return_in_progress', 801],
  ] as const)('in %s %i cents of a fee of 801', (status, cents) => {
    expect(cancellationFeeCents(status, 801)).toBe(cents)
  })

  test('what the answer says, and nothing that the account has no capability for', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt('driver_assigned', { tipAmountCents: 200 })
    const before = shell.call('getDelivery', { deliveryId }).body as { pricing: object }
    expect(before.pricing).toMatchObject({ cancellationFeeCents: 300 })
    const { body } = shell.call('cancelDelivery', { deliveryId, body: { reason: 'customer_cancelled' } })
    expect(body).toMatchObject({
      status: 'cancelled',
      statusReasonCode: 'cancelled_by_merchant',
      pricing: { cancellationFeeCents: 300, totalPriceCents: 300 },
    })
    expect(shell.stored(deliveryId).cancellation).toEqual({ reason: 'customer_cancelled' })

    const without = new TestShell({ apiKey: 'dlvk_sbx_noreturns' })
    const other = without.createAt('driver_assigned')
    const answer = without.call('cancelDelivery', { deliveryId: other.deliveryId }).body as { pricing: object }
    expect(answer.pricing).not.toHaveProperty('cancellationFeeCents')
    expect(answer.pricing).toMatchObject({ totalPriceCents: 0 })
  })

  test.each([
    ['accepted', 0],
    ['driver_assigned', 300],
    ['delivered', 0],
    ['failed', 0],
  ] as const)('is shown before: %s, %i cents, beside a price that does not hold it', (status, cents) => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt(status)
    const { pricing } = shell.call('getDelivery', { deliveryId }).body as {
      pricing: { deliveryFeeCents: number; tipAmountCents: number }
    }
    const totalPriceCents = pricing.deliveryFeeCents + pricing.tipAmountCents
    expect(pricing).toMatchObject({ cancellationFeeCents: cents, totalPriceCents })
  })
})

describe('the stores', () => {
  test('lie where their ZIP codes do', () => {
    // The ZIP code of the base on Kodiak has no area of its own.
    for (const known of stores.filter(({ city }) => city !== 'Kodiak')) {
      const point = locateZip(known.postalCode)
      expect(point?.approximate, known.storeReference).toBe(false)
      if (point !== undefined) expect(distanceKm(known, point), known.storeReference).toBeLessThan(0.2)
    }
  })

  test('are listed in the documentation', () => {
    const page = readFileSync('docs/reference/sandbox.md', 'utf8')
    const listed = page.match(/(?<=\| )`STORE-\d+` [^|]+, [A-Z]{2}(?= \|)/g)?.toSorted()
    expect(listed).toEqual(
      ordinaryStores.map(({ storeReference, city, state }) => `\`${storeReference}\` ${city}, ${state}`),
    )
  })

  test('lie within 40 km by road of an installation of their state', () => {
    const shell = new TestShell()
    for (const known of stores) {
      const near = shell.installations().filter(({ state }) => state === known.state)
      const nearest = Math.min(...near.map((installation) => roadKm(known, installation)))
      expect(nearest, known.storeReference).toBeLessThan(40)
    }
  })
})
