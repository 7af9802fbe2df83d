import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSandbox } from 'dlv-cli/sandbox'
import { Shop } from '../shop.ts'

const sale = {
  reference: 'WEB-1',
  address: '500 Ramsey St, Fayetteville, NC 28301',
  name: 'Avery Cole',
  phone: '+19105550142',
}

/** A service and a shop for one test, closed when it ends. */
async function open(context: { after(clean: () => Promise<void>): void }) {
  const sandbox = await startSandbox({ rateLimit: 'off' })
  const shop = new Shop(sandbox)
  await sandbox.steer('POST', '/endpoints', { url: await shop.listen() })
  context.after(async () => {
    await shop.close()
    await sandbox.close()
  })
  return { sandbox, shop }
}

test('an order is delivered within the hour', async (context) => {
  const { sandbox, shop } = await open(context)
  await shop.send({ ...sale, metadata: { sandbox_pace: 'real' } })
  await sandbox.clock.advance('2h')
  assert.equal(shop.orders.get('WEB-1')?.status, 'delivered')
})

test('a request is retried while the service is unavailable', async (context) => {
  const { sandbox, shop } = await open(context)
  await sandbox.faults.set([{ operation: 'createDelivery', force: 'SERVICE_UNAVAILABLE', times: 2 }])
  const { status } = await shop.send(sale)
  assert.equal(status, 'accepted')
})

test('an address that cannot be served fails without a retry', async (context) => {
  const { shop } = await open(context)
  await assert.rejects(shop.send({ ...sale, address: 'PSC 3 Box 4, APO AE 09012' }), /UNSUPPORTED_DESTINATION/)
})

test('a forged webhook changes nothing', async (context) => {
  const { sandbox, shop } = await open(context)
  await sandbox.faults.set([{ hooks: 'wrongsecret' }])
  await shop.send({ ...sale, metadata: { sandbox_pace: 'robo' } })
  await sandbox.clock.advance('10m')
  assert.equal(shop.orders.get('WEB-1')?.status, 'accepted')
})
