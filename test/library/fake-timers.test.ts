import { createClient } from 'dlv-cli/client'
import { startSandbox } from 'dlv-cli/sandbox'
import { afterEach, expect, it, vi } from 'vitest'
import { runNode } from '../support/library/run-node.js'
import { testOrder } from '../support/orders.js'

// The built library: its bundle holds on to the timers that tests replace. Jest's are tried by .ci/matrix.
afterEach(() => vi.useRealTimers())

it.each(['before', 'after'])('The sandbox works and is steered with fake timers from %s its start on', async (when) => {
  if (when === 'before') vi.useFakeTimers()
  await using sandbox = await startSandbox()
  vi.useFakeTimers()
  await using client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, retries: { baseDelayMs: 20 } })
  await sandbox.force('SERVICE_UNAVAILABLE; retry_after=0')
  await sandbox.force('RESET')
  const { value, attempts } = await client.call('createDelivery', { body: testOrder('R-1') })
  expect(attempts).toBe(3)
  const before = await sandbox.clock.now()
  const after = await sandbox.clock.advance('2h')
  expect(Date.parse(after.now) - Date.parse(before.now)).toBe(7_200_000)
  await sandbox.snapshot.save('later')
  await sandbox.settled()
  const { deliveryId } = value
  expect(await client.waitFor(deliveryId, 'accepted')).toMatchObject({ deliveryId })
  const waiting = client.waitFor(deliveryId, 'delivered', { pollMs: 20 })
  await client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } })
  expect(await waiting).toMatchObject({ status: 'delivered' })
})

it.each([
  true,
  false,
])('The same holds for node:test, whose mocked timers begin in 1970 (before its start: %j)', async (isEarly) => {
  const script = `
    import { mock } from 'node:test'
    import { workUnder } from './scripts/matrix/fake-timers.js'
    await workUnder(() => mock.timers.enable(), { isEarly: ${isEarly} })
    console.log('done')
  `
  expect(await runNode(['--input-type=module', '--eval', script])).toEqual({
    exitCode: 0,
    stdout: 'done\n',
    stderr: '',
  })
})
