/** What has to work, and end, while a test runner's fake timers are on. Used under Jest and node:test. */
import { createClient } from 'dlv-cli/client'
import { startSandbox } from 'dlv-cli/sandbox'
import { startTestSandbox } from 'dlv-cli/testing'
import { order } from './order.js'

/** @param fake puts the fake timers on: before the sandbox is started, and again after it */
export async function workUnder(fake, { isEarly }) {
  if (isEarly) fake()
  const sandbox = await startSandbox()
  const test = await startTestSandbox()
  if (!isEarly) fake()
  const client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, retries: { baseDelayMs: 20 } })

  await sandbox.force('SERVICE_UNAVAILABLE; retry_after=0')
  await sandbox.force('RESET')
  const { value, attempts } = await client.call('createDelivery', { body: order('R-1') })
  expectEqual(attempts, 3)
  await sandbox.snapshot.save('before')
  await sandbox.clock.advance('2h')
  await sandbox.faults.set([])
  await sandbox.settled()
  expectEqual((await client.waitFor(value.deliveryId, 'delivered')).status, 'delivered')

  const second = await client.createDelivery({ body: order('R-2') })
  const waiting = client.waitFor(second.deliveryId, 'delivered', { pollMs: 20 })
  await client.simulateDelivery({ deliveryId: second.deliveryId, body: { advanceTo: 'delivered' } })
  expectEqual((await waiting).status, 'delivered')
  const late = client.getCapabilities({}, { timeoutMs: 50, headers: { 'X-Sandbox-Force': 'HANG' } })
  expectEqual((await late.catch((error) => error)).reason, 'timeout')

  const third = await test.client.createDelivery({ body: order('R-3') })
  await test.clock.advance('2h')
  const event = await test.waitForEvent({ eventType: 'delivery.delivered', deliveryId: third.deliveryId })
  expectEqual(event.delivery.status, 'delivered')
  const none = await test.waitForEvent('delivery.failed', { timeoutMs: 20 }).catch((error) => error)
  expectEqual(none.name, 'UsageError')

  await client.close()
  await sandbox.close()
  await test.close()
}

function expectEqual(actual, expected) {
  if (actual !== expected) throw new Error(`got ${actual}, expected ${expected}`)
}
