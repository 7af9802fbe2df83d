import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'
import { createTempDir } from '../support/temp-dir.js'

/** A sandbox with one delivery that has been read. */
async function withReadDelivery(data = ':memory:') {
  const { sandbox, caller } = await startTestSandbox({ data })
  const { body } = await caller.create({ ...testOrder(), tipAmountCents: 100 })
  const path = `/deliveries/${body.deliveryId}`
  const read = () => caller.get(path)
  expect((await read()).text).toBe((await read()).text)
  return { sandbox, caller, path, read }
}

const tipOf = ({ body }: { body: Record<string, unknown> }) =>
  (body.pricing as { tipAmountCents: number }).tipAmountCents

test('a delivery that was read shows what was written since', async () => {
  const { caller, path, read } = await withReadDelivery()
  await caller.patch(path, { tipAmountCents: 700 })
  expect(tipOf(await read())).toBe(700)
  await caller.post(`${path}/simulate`, { advanceTo: 'driver_assigned' })
  expect((await read()).body.status).toBe('driver_assigned')
})

test('a delivery that was read shows what another process has written to the file', async () => {
  const data = join(createTempDir(), 'sandbox.db')
  const { path, read } = await withReadDelivery(data)
  const { caller: other } = await startTestSandbox({ data })
  await other.patch(path, { tipAmountCents: 700 })
  expect(tipOf(await read())).toBe(700)
})

test('a delivery that was read follows switches and restored snapshots', async () => {
  const { caller, path, read } = await withReadDelivery()
  await caller.steer('POST', '/snapshots/before')
  await caller.steer('POST', '/switches', { future: 'on' })
  expect((await caller.get(path, { offContract: true })).body).toHaveProperty('carbonGrams')
  await caller.steer('POST', '/snapshots/before/restore')
  expect((await read()).body).not.toHaveProperty('carbonGrams')
})

test('a delivery that was read stays hidden from other accounts and gives way to what is forced', async () => {
  const { caller, path, read } = await withReadDelivery()
  expect((await caller.as('dlvk_sbx_fast').get(path)).code).toBe('DELIVERY_NOT_FOUND')
  const headers = { 'X-Sandbox-Force': 'SERVICE_UNAVAILABLE' }
  expect((await caller.get(path, { headers })).code).toBe('SERVICE_UNAVAILABLE')
  expect((await read()).status).toBe(200)
})
