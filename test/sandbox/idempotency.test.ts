import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'
import { createTempDir } from '../support/temp-dir.js'

const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } })

describe('an idempotency key', () => {
  test('replays the answer of then, byte for byte, with 200 and a header', async () => {
    const { caller } = await startTestSandbox()
    const order = testOrder()
    const first = await caller.create(order, withKey('k'))
    await caller.post(`/deliveries/${first.body.deliveryId}/simulate`, { advanceTo: 'delivered' })
    const replay = await caller.create(order, withKey('k'))
    expect(first.status).toBe(201)
    expect(first.headers.has('Idempotency-Replayed')).toBe(false)
    expect(replay.status).toBe(200)
    expect(replay.headers.get('Idempotency-Replayed')).toBe('true')
    expect(replay.text).toBe(first.text)
  })

  test('leaves the file after its time, as events of every account do', async () => {
    const data = join(createTempDir(), 'sandbox.db')
    const { sandbox, caller } = await startTestSandbox({ data })
    for (const account of [caller, caller.as('dlvk_sbx_fast')]) await account.create(testOrder())
    const file = new DatabaseSync(data, { readOnly: true })
    const kept = () =>
      ['idempotency', 'events'].map((table) => file.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get()?.n)
    expect(kept()).toEqual([2, 2])
    await caller.steer('POST', '/clock', { advance: '25h' })
    expect(kept()).toEqual([0, 2])
    await caller.steer('POST', '/clock', { advance: '720h' })
    expect(kept()).toEqual([0, 0])
    file.close()
    await sandbox.close()
  })

  test('goes by what the body means, not by how it is spelled', async () => {
    const { caller } = await startTestSandbox()
    const order = testOrder()
    const first = await caller.create(order, withKey('k'))
    const reversed = Object.fromEntries(Object.entries(order).reverse())
    const replay = await caller.create(JSON.stringify(reversed, null, 3), {
      headers: { 'Idempotency-Key': 'k', 'Content-Type': 'application/json; charset=utf-8' },
    })
    expect(replay.text).toBe(first.text)
  })

  test('belongs to one account and to one operation', async () => {
    const { caller } = await startTestSandbox()
    const order = testOrder()
    const mine = await caller.create(order, withKey('k'))
    const theirs = await caller.as('dlvk_sbx_fast').create(order, withKey('k'))
    const elsewhere = await caller.post(`/deliveries/${mine.body.deliveryId}/cancel`, {}, withKey('k'))
    expect(theirs.status).toBe(201)
    expect(elsewhere.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  test('is not consumed by a refusal', async () => {
    const { caller } = await startTestSandbox()
    const refused = await caller.create(testOrder({ dropoff: { address: { postalCode: '99957' } } }), withKey('k'))
    const created = await caller.create(testOrder(), withKey('k'))
    expect([refused.status, created.status]).toEqual([422, 201])
  })

  test('replays a cancel, and a second cancel with another key is a conflict', async () => {
    const { caller } = await startTestSandbox()
    const { body } = await caller.create(testOrder())
    const path = `/deliveries/${body.deliveryId}/cancel`
    const first = await caller.post(path, { reason: 'customer_cancelled' }, withKey('c'))
    const replay = await caller.post(path, { reason: 'customer_cancelled' }, withKey('c'))
    const second = await caller.post(path, { reason: 'customer_cancelled' }, withKey('d'))
    expect(first.body.status).toBe('cancelled')
    expect(replay.text).toBe(first.text)
    expect(second.code).toBe('INVALID_STATE_TRANSITION')
  })

  test('is forgotten after 24 hours of virtual time; the reference is still taken', async () => {
    const { caller } = await startTestSandbox()
    const order = testOrder()
    await caller.create(order, withKey('k'))
    await caller.steer('POST', '/clock', { advance: '23h59m' })
    expect((await caller.create(order, withKey('k'))).status).toBe(200)
    await caller.steer('POST', '/clock', { advance: '2m' })
    expect((await caller.create(order, withKey('k'))).code).toBe('DUPLICATE_ORDER')
    expect((await caller.create(testOrder(), withKey('k'))).status).toBe(201)
  })

  test('lets one of two requests at the same time through and holds the other off', async () => {
    const { caller } = await startTestSandbox()
    const order = testOrder()
    const options = { headers: { 'Idempotency-Key': 'k' } }
    await caller.steer('POST', '/faults', { rules: [{ operation: 'createDelivery', latencyMs: 150 }] })
    const replies = await Promise.all([caller.create(order, options), caller.create(order, options)])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(replies.map(({ code }) => code)).toContain('IDEMPOTENCY_CONFLICT')
    const later = await caller.create(order, options)
    expect(later.headers.get('Idempotency-Replayed')).toBe('true')
  })

  test('idem-conflict-… is held off once and then proceeds', async () => {
    const { caller } = await startTestSandbox()
    const order = testOrder()
    const replies = [
      await caller.create(order, withKey('idem-conflict-x')),
      await caller.create(order, withKey('idem-conflict-x')),
    ]
    expect(replies.map(({ status }) => status)).toEqual([409, 201])
  })
})
