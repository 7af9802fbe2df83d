import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'

it('a dry run is answered like the real one, and keeps nothing', async () => {
  const sandbox = createSandbox()
  const body = readFileSync('examples/order.json', 'utf8')
  const create = async (headers: Record<string, string>) => {
    const common = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
    const init = { method: 'POST', body, headers: { ...common, 'idempotency-key': 'key-1', ...headers } }
    const response = await sandbox.fetch(new Request('http://127.0.0.1/delivery/v1/deliveries', init))
    return { status: response.status, delivery: (await response.json()) as Record<string, unknown> }
  }
  const counts = async () => {
    const { deliveries, events } = (await sandbox.steer('GET', '/status')) as Record<string, number>
    return [deliveries, events]
  }
  const before = await counts()
  const dry = await create({ 'x-sandbox-dry-run': 'true' })
  expect([dry.status, dry.delivery.status]).toEqual([201, 'accepted'])
  expect(await counts()).toEqual(before)
  // The key is still free, and so is the reference.
  const real = await create({})
  expect([real.status, real.delivery.pricing]).toEqual([201, dry.delivery.pricing])
  expect(await counts()).not.toEqual(before)
  await sandbox.close()
})
