import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyHashOf, cancelKeyOf, idempotencyKeyOf, newIdempotencyKey } from '../../src/client/index.js'
import { testOrder } from '../support/orders.js'

/** The same JSON value with the members of each object the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, turned(member)]),
  )
}

describe('The idempotency key of an order', () => {
  test('is the same for the same order however it is written, and fits the contract', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.dictionary(fc.string(), fc.jsonValue()), (reference, metadata) => {
        const order = testOrder(reference, { metadata })
        const key = idempotencyKeyOf({ profile: 'shop', order })
        expect(idempotencyKeyOf({ profile: 'shop', order: turned(JSON.parse(JSON.stringify(order))) })).toBe(key)
        expect(key).toMatch(/^dlv_[\w-]{43}$/)
      }),
    )
  })

  test('is another one for another profile, another reference and another body', () => {
    const order = testOrder('R-1')
    const keys = [
      idempotencyKeyOf({ profile: 'shop', order }),
      idempotencyKeyOf({ profile: 'other', order }),
      idempotencyKeyOf({ profile: 'shop', order: testOrder('R-2') }),
      idempotencyKeyOf({ profile: 'shop', order: testOrder('R-1', { tipAmountCents: 1 }) }),
      cancelKeyOf({ profile: 'shop', deliveryId: 'R-1', body: order }),
      cancelKeyOf({ profile: 'other', deliveryId: 'R-1', body: order }),
      cancelKeyOf({ profile: 'shop', deliveryId: 'R-2', body: order }),
      newIdempotencyKey(),
      newIdempotencyKey(),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('never changes from one version to the next: a run begun with one is resumed with another', () => {
    const order = { clientOrderReference: 'R-1', dropoff: { contactName: 'Maya', address: 'a' }, tipAmountCents: 5 }
    const canonical = '{"clientOrderReference":"R-1","dropoff":{"address":"a","contactName":"Maya"},"tipAmountCents":5}'
    const bodyHash = createHash('sha256').update(canonical).digest('hex')
    const parts = `["createDelivery","shop","R-1","${bodyHash}"]`
    expect(bodyHashOf(order)).toBe(bodyHash)
    expect(idempotencyKeyOf({ profile: 'shop', order })).toBe(
      `dlv_${createHash('sha256').update(parts).digest('base64url')}`,
    )
  })
})
