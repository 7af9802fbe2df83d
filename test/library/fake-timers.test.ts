import { createClient } from 'dlv-cli/client'
import { startSandbox } from 'dlv-cli/sandbox'
import { afterEach, expect, it, vi } from 'vitest'
import { testOrder } from '../support/orders.js'

// The built library: its bundle holds on to the timers that tests replace.
afterEach(() => vi.useRealTimers())

it.each(['before', 'after'])('The sandbox works and is steered with fake timers from %s its start on', async (when) => {
  if (when === 'before') vi.useFakeTimers()
  await using sandbox = await startSandbox()
  vi.useFakeTimers()
  await using client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey })
  await sandbox.force('SERVICE_UNAVAILABLE; retry_after=0')
  const { deliveryId } = await client.createDelivery({ body: testOrder('R-1') })
  const before = await sandbox.clock.now()
  const after = await sandbox.clock.advance('2h')
  expect(Date.parse(after.now) - Date.parse(before.now)).toBe(7_200_000)
  await sandbox.snapshot.save('later')
  await sandbox.settled()
  expect(await client.waitFor(deliveryId, 'accepted')).toMatchObject({ deliveryId })
})
