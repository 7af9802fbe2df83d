/** The handler for msw under the real one: create, get, list, errors, a lost connection, webhooks. Prints failures as JSON. */
import { createClient, fetchTransport } from 'dlv-cli/client'
import { mswHandler, startTestSandbox } from 'dlv-cli/testing'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { order } from './order.js'

const baseUrl = 'https://api.example.com/delivery/v1'
const failures: string[] = []
const expectEqual = (what: string, actual: unknown, expected: unknown) => {
  if (actual !== expected) failures.push(`${what}: got ${actual}, expected ${expected}`)
}

const sandbox = await startTestSandbox()
const server = setupServer(mswHandler(http, sandbox, baseUrl))
// Opened before msw, as an app does when it is imported.
const client = createClient({
  baseUrl,
  apiKey: sandbox.apiKey,
  transport: fetchTransport(),
  retries: { baseDelayMs: 1 },
})
server.listen({ onUnhandledRequest: 'error' })

const { deliveryId } = await client.createDelivery({ body: order('MSW-1') })
expectEqual('get', (await client.getDelivery({ deliveryId })).status, 'accepted')
const { deliveries } = await client.listDeliveries({ query: { clientOrderReference: 'MSW-1' } })
expectEqual('list', deliveries[0]?.deliveryId, deliveryId)
const error = await client.getDelivery({ deliveryId: 'del_none' }).catch((failure) => failure)
expectEqual('error', error.code, 'DELIVERY_NOT_FOUND')
for (const what of ['SERVICE_UNAVAILABLE; retry_after=0', 'RESET', 'TRUNCATE']) {
  await sandbox.force(what)
  expectEqual(what, (await client.call('getCapabilities', {})).attempts, 2)
}
await sandbox.force('RESET')
const reset = await fetch(`${baseUrl}/health`).catch((failure) => failure)
expectEqual('a lost connection of an app', reset instanceof TypeError, true)
await sandbox.clock.advance('2h')
const event = await sandbox.waitForEvent({ eventType: 'delivery.delivered', deliveryId })
expectEqual('webhook', event.eventType, 'delivery.delivered')

server.close()
await client.close()
await sandbox.close()
console.log(JSON.stringify(failures))
