import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  bodyHashOf,
  cancelKeyOf,
  createClient,
  createOnce,
  idempotencyKeyOf,
  newIdempotencyKey,
  type Transport,
} from '../../src/client/index.js'
import { ApiError } from '../../src/contract/index.js'
import { testOrder } from '../support/orders.js'
import { fc } from '../support/samples.js'

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
        const key = idempotencyKeyOf({ scope: 'shop', order })
        expect(idempotencyKeyOf({ scope: 'shop', order: turned(JSON.parse(JSON.stringify(order))) })).toBe(key)
        expect(key).toMatch(/^dlv_[\w-]{43}$/)
      }),
    )
  })

  test('follows from times that are a Date, as it does from their text', () => {
    const at = (startAt: Date | string) => testOrder('R-1', { timeWindows: { pickup: { startAt } } })
    const keyOf = (order: unknown) => idempotencyKeyOf({ scope: 'shop', order })
    const key = keyOf(at(new Date('2026-03-02T15:00:00Z')))
    expect(keyOf(at('2026-03-02T15:00:00.000Z'))).toBe(key)
    expect(keyOf(at(new Date('2026-03-03T15:00:00Z')))).not.toBe(key)
    // A name that is a number comes first in any object, so that such an order is written piece by piece.
    const numbered = (startAt: Date | string) => keyOf({ ...at(startAt), metadata: { 7: 'x' } })
    expect(numbered(new Date('2026-03-02T15:00:00Z'))).toBe(numbered('2026-03-02T15:00:00.000Z'))
  })

  test('goes with one text of the order, however its fields stand', async () => {
    const bodies: string[] = []
    const refusal = JSON.stringify({ error: { code: 'VALIDATION_ERROR', message: 'No.', requestId: 'req_1' } })
    const transport: Transport = {
      async send({ body }) {
        bodies.push(Buffer.from(body ?? []).toString())
        const headers = new Headers({ 'content-type': 'application/json' })
        return { status: 422, headers, body: Buffer.from(refusal) }
      },
    }
    const client = createClient({ baseUrl: 'https://api.example/delivery/v1', apiKey: 'dlvk_test', transport })
    const order = testOrder('R-1', { metadata: { channel: 'web', basket: 'b-1' } })
    for (const body of [order, turned(order) as typeof order]) {
      await expect(client.createDelivery({ body })).rejects.toThrow(ApiError)
      const identified = { order: body, idempotencyKey: 'own', bodyHash: bodyHashOf(body) }
      await expect(createOnce(client, identified, { record: () => [{ wasSent: false }] })).rejects.toThrow(ApiError)
    }
    expect(bodies).toHaveLength(4)
    expect(new Set(bodies).size).toBe(1)
    expect(JSON.parse(bodies[0] ?? '')).toEqual(order)
  })

  test('is another one for another profile, another reference and another body', () => {
    const order = testOrder('R-1')
    const keys = [
      idempotencyKeyOf({ scope: 'shop', order }),
      idempotencyKeyOf({ scope: 'other', order }),
      idempotencyKeyOf({ scope: 'shop', order: testOrder('R-2') }),
      idempotencyKeyOf({ scope: 'shop', order: testOrder('R-1', { tipAmountCents: 1 }) }),
      cancelKeyOf({ scope: 'shop', deliveryId: 'R-1', body: order }),
      cancelKeyOf({ scope: 'other', deliveryId: 'R-1', body: order }),
      cancelKeyOf({ scope: 'shop', deliveryId: 'R-2', body: order }),
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
    expect(idempotencyKeyOf({ scope: 'shop', order })).toBe(
      `dlv_${createHash('sha256').update(parts).digest('base64url')}`,
    )
  })
})
