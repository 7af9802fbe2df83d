import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.js'
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.js'
import { Store } from '../../src/sandbox/store/store.js'
import { testOrder } from '../support/orders.js'
import { createTempDir } from '../support/temp-dir.js'

describe('Work that shares a commit', () => {
  it('fails by itself: what it wrote is undone, and the work before and after it is kept', async () => {
    const path = join(createTempDir(), 'sandbox.db')
    const store = new Store(path)
    const results = await Promise.allSettled([
      store.writeTogether(() => store.settings.set('first', 1)),
      store.writeTogether(() => {
        store.settings.set('second', 2)
        throw new Error('refused')
      }),
      store.writeTogether(() => store.settings.get('second') ?? 'not seen'),
      store.writeTogether(() => store.settings.set('third', 3)),
    ])
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: 'refused' } },
      { status: 'fulfilled', value: 'not seen' },
      { status: 'fulfilled' },
    ])
    expect(store.settings.get('second')).toBeUndefined()
    store.close()
    const again = new Store(path)
    expect(['first', 'second', 'third'].map((name) => again.settings.get(name))).toEqual([1, undefined, 3])
    again.close()
  })

  it('is done once beside work that is refused before it writes', async () => {
    const store = new Store(':memory:')
    const done: number[] = []
    const results = await Promise.allSettled([
      store.writeTogether(() => {
        store.settings.set('first', done.push(1))
      }),
      store.writeTogether(() => {
        throw new Error('refused')
      }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(done).toEqual([1])
    store.close()
  })

  it('settles once it is on disk', async () => {
    const path = join(createTempDir(), 'sandbox.db')
    const [store, other] = [new Store(path), new Store(path)]
    await store.writeTogether(() => store.settings.set('seen', true))
    other.refresh()
    expect(other.settings.get('seen')).toBe(true)
    store.close()
    other.close()
  })

  it('is told when the transaction cannot begin', async () => {
    const store = new Store(join(createTempDir(), 'sandbox.db'))
    const works = [1, 2].map((number) => store.writeTogether(() => store.settings.set('number', number)))
    store.close()
    const results = await Promise.allSettled(works)
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

describe('Orders that arrive together', () => {
  let sandbox: RunningSandbox
  beforeAll(async () => {
    sandbox = await startSandbox({ rateLimit: 'off', deliverWebhooks: false })
  })
  afterAll(() => sandbox.close())

  it('are decided one after the other: one delivery a key, one a reference, and nothing of what is refused', async () => {
    const client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey })
    const create = (reference: string, idempotencyKey: string) =>
      client.createDelivery({ body: testOrder(reference), idempotencyKey }).then(
        ({ deliveryId }) => deliveryId,
        (error: { code?: string }) => error.code,
      )
    const outcomes = await Promise.all([
      ...Array.from({ length: 10 }, (_, index) => create(`GROUP-${index}`, `key-${index}`)),
      ...Array.from({ length: 5 }, () => create('GROUP-SAME-KEY', 'same-key')),
      ...Array.from({ length: 5 }, (_, index) => create('GROUP-SAME-REFERENCE', `other-${index}`)),
      create('', 'refused'),
    ])
    expect(new Set(outcomes.slice(0, 10)).size).toBe(10)
    expect(new Set(outcomes.slice(10, 15)).size).toBe(1)
    expect(outcomes.slice(15, 20).filter((outcome) => outcome === 'DUPLICATE_ORDER')).toHaveLength(4)
    const { deliveries } = await client.listDeliveries({ query: { from: new Date(Date.now() - 60_000).toISOString() } })
    expect(deliveries).toHaveLength(12)
    await client.close()
  })
})
