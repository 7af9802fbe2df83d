import { describe, expect, it } from 'vitest'
import { orderRefusals, orderWarnings } from '../../../src/cli/bulk/preflight.js'
import { assignmentsOf } from '../../../src/cli/orders/order-flags.js'

const nowMs = Date.parse('2026-03-02T15:00:00Z')
const rules = { purpose: 'order', nowMs } as const
const order = {
  clientOrderReference: 'ORDER-1',
  pickup: { storeReference: 'STORE-001' },
  dropoff: { address: '200 Hay St, Fayetteville, NC 28301', contactName: 'Maya', contactPhone: '+19105550123' },
}
const warnedOf = (changed: object) => orderWarnings(changed).map(({ field }) => field)

describe('local checks', () => {
  it('have nothing to say of a good order', () => {
    expect([...orderRefusals(order, rules), ...orderWarnings(order)]).toEqual([])
  })

  it('count characters as people do: 280 emoji pass, 281 do not', () => {
    const withInstructions = (text: string) => ({ ...order, dropoff: { ...order.dropoff, instructions: text } })
    expect(orderRefusals(withInstructions('🏠'.repeat(280)), rules)).toEqual([])
    expect(orderRefusals(withInstructions('🏠'.repeat(281)), rules)[0]?.field).toBe('dropoff.instructions')
  })

  it('warn of a ZIP of an installation whose code is missing', () => {
    const dropoff = { ...order.dropoff, address: '1 Main St, Fort Bragg, NC 28310' }
    expect(warnedOf({ ...order, dropoff })).toEqual(['dropoff.installation.code'])
  })

  it('warn of fields that the contract does not have, the outermost and at most five', () => {
    const odd = { ...order, dropof: { unit: 1 }, dropoff: { ...order.dropoff, note: 'x' }, metadata: { any: 'thing' } }
    expect(orderRefusals(odd, rules)).toEqual([])
    expect(orderWarnings(odd).map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'dropoff.note: is not a field of an order',
      'dropof: is not a field of an order; did you mean "dropoff"?',
    ])
    const many = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`column${n}`, n]))
    expect(warnedOf({ ...order, ...many })).toHaveLength(5)
  })
})

describe('field flags', () => {
  it('become paths of the order', () => {
    const set = Object.fromEntries(
      assignmentsOf(
        { store: 'S', verify: ['photo', 'identity=preferred'], 'min-age': 21, window: '+1h/+2h' },
        nowMs,
      ).map(({ path, value }) => [path, value]),
    )
    expect(set).toEqual({
      'pickup.storeReference': 'S',
      'verification.dropoff.photo.level': 'required',
      'verification.dropoff.identity.level': 'preferred',
      'verification.dropoff.identity.minimumAge': 21,
      'timeWindows.deliveryMode': 'scheduled',
      'timeWindows.dropoff': { start: '2026-03-02T16:00:00.000Z', end: '2026-03-02T17:00:00.000Z' },
    })
  })
})
