import { type RunningSandbox, startSandbox } from 'dlv-cli/sandbox'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Shop } from '../shop.ts'

// Each test has a service of its own, in memory, which starts in milliseconds. Time passes when the test says so.
let sandbox: RunningSandbox
let shop: Shop

beforeEach(async () => {
  sandbox = await startSandbox({ rateLimit: 'off' })
  shop = new Shop(sandbox)
  await sandbox.steer('POST', '/endpoints', { url: await shop.listen() })
})

afterEach(async () => {
  await shop.close()
  await sandbox.close()
})

const sale = {
  reference: 'WEB-1',
  address: '500 Ramsey St, Fayetteville, NC 28301',
  name: 'Avery Cole',
  phone: '+19105550142',
}

describe('The shop', () => {
  it('follows a delivery to the door', async () => {
    await shop.send({ ...sale, metadata: { sandbox_pace: 'robo' } })
    await sandbox.clock.advance('10m')
    expect(shop.orders.get('WEB-1')).toMatchObject({ status: 'delivered', reason: undefined })
    expect(shop.orders.get('WEB-1')?.events).toContain('delivery.pickup_complete')
  })

  it('learns why a delivery failed', async () => {
    // This number makes the recipient refuse. `dlv sandbox magic` lists others.
    await shop.send({ ...sale, phone: '+12025550111', metadata: { sandbox_pace: 'robo' } })
    await sandbox.clock.advance('10m')
    expect(shop.orders.get('WEB-1')).toMatchObject({ status: 'failed', reason: 'recipient_refused' })
  })

  it('orders once, even if the response is lost', async () => {
    await sandbox.faults.set([{ operation: 'createDelivery', force: 'TIMEOUT_AFTER_COMMIT', times: 1 }])
    const { deliveryId } = await shop.send(sale)
    const found = await fetch(`${sandbox.baseUrl}/deliveries?from=2020-01-01T00:00:00Z`, {
      headers: { Authorization: `Bearer ${sandbox.apiKey}` },
    })
    expect(await found.json()).toMatchObject({ deliveries: [{ deliveryId }], nextCursor: null })
  })

  it('catches up after a day of downtime and applies each event once', async () => {
    shop.isDown = true
    await shop.send({ ...sale, metadata: { sandbox_pace: 'robo' } })
    await sandbox.clock.advance('17h')
    expect(shop.orders.get('WEB-1')).toMatchObject({ status: 'accepted', events: [] })
    shop.isDown = false
    // The last two of the eight attempts are ten hours apart.
    await sandbox.clock.advance('11h')
    const order = shop.orders.get('WEB-1')
    expect(order?.status).toBe('delivered')
    for (const type of ['delivery.accepted', 'delivery.pickup_complete', 'delivery.delivered'])
      expect(order?.events.filter((applied) => applied === type)).toEqual([type])
  })
})
