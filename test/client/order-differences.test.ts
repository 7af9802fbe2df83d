import { describe, expect, test } from 'vitest'
import { orderDifferences } from '../../src/client/index.js'
import type { Delivery } from '../../src/contract/index.js'
import { testOrder } from '../support/orders.js'

/** The delivery that a service makes of an order, as far as it shows it. */
function deliveryOf(order: ReturnType<typeof testOrder>, more: Record<string, unknown> = {}): Delivery {
  const { clientOrderReference, pickup, dropoff } = order
  return { deliveryId: 'del_1', status: 'accepted', clientOrderReference, pickup, dropoff, ...more } as Delivery
}

const base = testOrder('R-1')
const withDropoff = (more: Record<string, unknown>) => testOrder('R-1', { dropoff: { ...base.dropoff, ...more } })
const differencesOf = (...given: Parameters<typeof orderDifferences>) =>
  orderDifferences(...given).map(({ field, message }) => `${field}: ${message}`)

describe('An order and the delivery that has its reference', () => {
  test.each<[string, unknown, Delivery, string[]]>([
    [
      'tip',
      testOrder('R-1', { tipAmountCents: 500 }),
      deliveryOf(base, { pricing: { tipAmountCents: 300 } }),
      ['tipAmountCents: 500 here, 300 there'],
    ],
    [
      'tip added',
      base,
      deliveryOf(base, { pricing: { tipAmountCents: 300 } }),
      ['tipAmountCents: nothing here, 300 there'],
    ],
    [
      'store',
      testOrder('R-1', { pickup: { storeReference: 'STORE-002' } }),
      deliveryOf(base),
      ['pickup.storeReference: "STORE-002" here, "STORE-001" there'],
    ],
    [
      'house number',
      withDropoff({ address: '301 Hay St, Fayetteville, NC 28301' }),
      deliveryOf(base),
      ['dropoff.address: "301 Hay St, Fayetteville, NC 28301" here, "300 Hay St, Fayetteville, NC 28301" there'],
    ],
    [
      'apartment on one side',
      base,
      deliveryOf(withDropoff({ address: '300 Hay St, Apt 4, Fayetteville, NC 28301' })),
      ['dropoff.address: "300 Hay St, Fayetteville, NC 28301" here, "300 Hay St, Apt 4, Fayetteville, NC 28301" there'],
    ],
    [
      'phone',
      withDropoff({ contactPhone: '+12025550199' }),
      deliveryOf(base),
      ['dropoff.contactPhone: "+12025550199" here, "+12025550100" there'],
    ],
    [
      'instructions',
      withDropoff({ instructions: 'Ring twice' }),
      deliveryOf(withDropoff({ instructions: null })),
      ['dropoff.instructions: "Ring twice" here, nothing there'],
    ],
    [
      'nothing, where the service does not show instructions, installation and unit',
      withDropoff({ instructions: 'Ring twice', installation: { code: 'FTBRAGG' }, unit: { room: '12' } }),
      deliveryOf(base),
      [],
    ],
    [
      'installation and unit',
      withDropoff({ installation: { code: 'FTBRAGG' }, unit: { room: '12' } }),
      deliveryOf(withDropoff({ installation: { code: 'FTBRAGG', gate: 'Longstreet' }, unit: { room: '13' } })),
      ['dropoff.installation.gate: nothing here, "Longstreet" there', 'dropoff.unit.room: "12" here, "13" there'],
    ],
    [
      'window',
      testOrder('R-1', { timeWindows: { dropoff: { start: '2026-03-02T15:00:00Z', end: '2026-03-02T17:00:00Z' } } }),
      deliveryOf(base, {
        timeWindows: { dropoff: { start: '2026-03-02T10:00:00-05:00', end: '2026-03-02T18:00:00Z' } },
      }),
      ['timeWindows.dropoff.end: "2026-03-02T17:00:00Z" here, "2026-03-02T18:00:00Z" there'],
    ],
    [
      'window asked for, and none there',
      testOrder('R-1', { timeWindows: { deliveryMode: 'scheduled' } }),
      deliveryOf(base, { timeWindows: { deliveryMode: 'asap' } }),
      ['timeWindows.deliveryMode: "scheduled" here, "asap" there'],
    ],
    [
      'value, items and cargo, if they are shown',
      testOrder('R-1', { package: { valueCents: 9_000, contains: ['alcohol'], items: [{ name: 'wine' }] } }),
      deliveryOf(base, { package: { valueCents: 5_000, contains: [], items: [{ name: 'wine' }], itemsCount: 1 } }),
      [
        'package.valueCents: 9000 here, 5000 there',
        'package.contains: ["alcohol"] here, nothing there',
        'package.itemsCount: nothing here, 1 there',
      ],
    ],
    [
      'a check asked for, and not enforced',
      testOrder('R-1', { verification: { dropoff: { signature: { level: 'required' } } } }),
      deliveryOf(base, { resolvedVerification: { dropoff: {}, derived: [], suppressed: [] } }),
      ['verification.dropoff.signature: {"level":"required"} here, nothing there'],
    ],
    [
      'a check enforced that nobody asked for nor derived',
      base,
      deliveryOf(base, { resolvedVerification: { dropoff: { photo: { level: 'required' } }, derived: [] } }),
      ['verification.dropoff.photo: nothing here, {"level":"required"} there'],
    ],
  ])('differ in the %s', (_, order, delivery, expected) => {
    expect(differencesOf(order, delivery)).toEqual(expected)
  })

  test.each<[string, unknown, Delivery]>([
    ['nothing more is shown than there is to see', testOrder('R-1', { package: { valueCents: 1 } }), deliveryOf(base)],
    [
      'what was left out is shown as empty',
      base,
      deliveryOf(withDropoff({ instructions: '', unit: { room: null } }), { pricing: { tipAmountCents: 0 } }),
    ],
    [
      'the case and the spaces of a text were tidied',
      withDropoff({ contactName: ' maya  reyes ', instructions: 'Ring  twice ' }),
      deliveryOf(withDropoff({ instructions: 'Ring twice' })),
    ],
    [
      'one line was taken apart, with ZIP+4 and country',
      base,
      deliveryOf(
        withDropoff({
          address: { line1: '300 HAY ST', city: 'Fayetteville', state: 'NC', postalCode: '28301-1234', country: 'US' },
        }),
      ),
    ],
    [
      'city and ZIP were filled in',
      withDropoff({ address: '300 Hay St' }),
      deliveryOf(
        withDropoff({ address: { line1: '300 Hay St', city: 'Fayetteville', state: 'NC', postalCode: '28301' } }),
      ),
    ],
    [
      'destination and cargo changed what is checked',
      testOrder('R-1', {
        verification: { dropoff: { photo: { level: 'required', substituteWhenProhibited: 'signature' } } },
      }),
      deliveryOf(base, {
        resolvedVerification: {
          dropoff: { signature: { level: 'required' }, identity: { level: 'required', minimumAge: 21 } },
          derived: [{ mechanism: 'identity', level: 'required', minimumAge: 21 }],
          suppressed: [{ mechanism: 'photo', substitutedBy: 'signature' }],
        },
      }),
    ],
    [
      'the service chose a window for an order without one',
      base,
      deliveryOf(base, {
        timeWindows: { deliveryMode: 'asap', dropoff: { start: '2026-03-02T15:00:00Z', end: '2026-03-02T17:00:00Z' } },
      }),
    ],
  ])('agree where %s', (_, order, delivery) => {
    expect(differencesOf(order, delivery)).toEqual([])
  })

  test('differ in what the delivery does not show, if what was sent is kept', () => {
    const order = testOrder('R-1', { package: { valueCents: 9_000 }, handling: { handoff: 'cq_desk' } })
    const sent = { package: { valueCents: 5_000, itemsCount: 2 }, handling: { handoff: 'hand_to_recipient' } }
    expect(differencesOf(order, deliveryOf(base, { pricing: { tipAmountCents: 0 } }), sent)).toEqual([
      'package.valueCents: 9000 here, 5000 there',
      'package.itemsCount: nothing here, 2 there',
      'handling.handoff: "cq_desk" here, "hand_to_recipient" there',
    ])
  })
})
