import { Webhook as StandardWebhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { testOrder } from '../support/sandbox/orders.js'
import { type Received, startTestReceiver } from '../support/sandbox/receiver.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'

const accepts = (secret: string, { headers, body }: Received) => {
  const signed = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
  )
  try {
    new StandardWebhook(secret).verify(body.toString(), signed)
    return true
  } catch {
    return false
  }
}

describe('a receiver belongs to an account', () => {
  test('and gets the events of that account only', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const [market, fleet, live] = [await startTestReceiver(), await startTestReceiver(), await startTestReceiver()]
    await caller.steer('POST', '/endpoints', { url: market.url })
    await caller.steer('POST', '/endpoints', { url: fleet.url, account: 'ownedfleet' })
    await caller.steer('POST', '/endpoints', { url: live.url, account: 'dlvk_live_demo' })
    const ids = await Promise.all(
      ['dlvk_sbx_marketplace', 'dlvk_sbx_ownedfleet', 'dlvk_live_demo'].map(
        async (key) => (await caller.as(key).create(testOrder())).body.deliveryId,
      ),
    )
    await sandbox.settled()
    const seen = [market, fleet, live].map(({ received }) =>
      received.map(({ event }) => (event.delivery as { deliveryId: string }).deliveryId),
    )
    expect(seen).toEqual(ids.map((id) => [id]))
    expect(live.received[0]?.event.livemode).toBe(true)
  })

  test('whose other events have no receiver, and say so', async () => {
    const { caller } = await startTestSandbox()
    const receiver = await startTestReceiver()
    await caller.steer('POST', '/endpoints', { url: receiver.url, account: 'acc_ownedfleet' })
    await caller.create(testOrder())
    expect((await caller.get('/events')).body.events).toMatchObject([{ lastDeliveryStatus: 'no_endpoint_configured' }])
  })

  test('and one address may receive for two', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver()
    const first = await caller.steer('POST', '/endpoints', { url: receiver.url })
    const second = await caller.steer('POST', '/endpoints', { url: receiver.url, account: 'ownedfleet' })
    expect([first.account, second.account]).toEqual(['acc_marketplace', 'acc_ownedfleet'])
    expect(second.id).not.toBe(first.id)
    await caller.create(testOrder())
    await caller.as('dlvk_sbx_ownedfleet').create(testOrder())
    await sandbox.settled()
    expect(receiver.received).toHaveLength(2)
  })

  test('which has to exist', async () => {
    const { caller } = await startTestSandbox()
    const reply = await caller.trySteer('POST', '/endpoints', { url: 'http://127.0.0.1:9/', account: 'nobody' })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('must be an account of the sandbox: marketplace, ownedfleet')
  })
})

describe('a signing secret belongs to an account', () => {
  test('and signs for no other', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const receiver = await startTestReceiver()
    const { secrets } = await caller.steer('POST', '/endpoints', { url: receiver.url, account: 'ownedfleet' })
    const [fleetSecret = ''] = secrets as string[]
    await caller.as('dlvk_sbx_ownedfleet').create(testOrder())
    await sandbox.settled()
    const [received] = receiver.received as [Received]
    expect(fleetSecret).not.toBe(sandbox.webhookSecret)
    expect([accepts(fleetSecret, received), accepts(sandbox.webhookSecret, received)]).toEqual([true, false])
  })

  test('and is rotated for no other', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const before = sandbox.webhookSecret
    const rotated = await caller.steer('POST', '/secrets/rotate', { account: 'ownedfleet' })
    expect(rotated).toMatchObject({ account: 'acc_ownedfleet', secrets: [rotated.secret, expect.any(String)] })
    expect(await caller.steer('GET', '/secrets?account=acc_ownedfleet')).toEqual(rotated)
    expect(await caller.steer('GET', '/secrets')).toMatchObject({ account: 'acc_marketplace', secrets: [before] })
    expect(sandbox.webhookSecret).toBe(before)
  })
})
