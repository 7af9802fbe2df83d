import { createServer, request as httpRequest } from 'node:http'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.js'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { testOrder } from '../support/orders.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

const sandbox = serveSandbox()
const cli = createCli(afterAll)
let isAway = false
let refused = 0
let listings = 0
let env: NodeJS.ProcessEnv
let baseUrl: string

/** What stands in front of the service: while it is away, every request fails at once. */
beforeEach(async () => {
  isAway = false
  refused = 0
  listings = 0
  const origin = await startHttpServer(
    createServer((incoming, response) => {
      if (isAway) {
        refused++
        const error = { code: 'INTERNAL_ERROR', message: 'The service is away', requestId: 'r' }
        response.writeHead(500, { 'content-type': 'application/json', 'x-should-retry': 'false' })
        response.end(JSON.stringify({ error }))
        return
      }
      if (incoming.url?.includes('/events?')) listings++
      const onward = httpRequest(new URL(incoming.url ?? '', sandbox.running.baseUrl), {
        method: incoming.method,
        headers: incoming.headers,
      })
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      incoming.pipe(onward)
    }),
  )
  baseUrl = `${origin}/delivery/v1`
  env = { ...sandbox.env(), DLV_BASE_URL: baseUrl, DLV_ENVIRONMENT: 'sandbox' }
})

const direct = () => createClient({ baseUrl: sandbox.running.baseUrl, apiKey: sandbox.running.apiKey })

/** An outage in which something happens that nobody may miss. */
async function outage(during: () => Promise<unknown>, failures = 3): Promise<void> {
  isAway = true
  refused = 0
  await during()
  await until('failures', () => refused >= failures)
  isAway = false
}

describe('During an outage', () => {
  test('events tail waits, says so once, and misses nothing', async () => {
    const client = direct()
    const { deliveryId } = await client.createDelivery({ body: testOrder('TAIL-1') })
    const words = ['events', 'tail', '--since', '1h', '--delivery', deliveryId, '--interval', '200ms', '-o', 'ndjson']
    const tail = cli.start(words, { env })
    const types = () => tail.lines().map((line) => /"eventType":"([^"]+)"/.exec(line)?.[1])
    await until('the first event', () => types().includes('delivery.accepted'))
    await outage(() => client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }))
    await until('the last event', () => types().includes('delivery.delivered'))
    const { stderr, exitCode } = await tail.kill('SIGINT')
    expect(exitCode).toBe(130)
    expect(stderr.match(/The service is away/g)).toHaveLength(1)
    expect(stderr).toContain('The service answers again, after')
    expect(new Set(types()).size).toBe(types().length)
    expect(types()).toContain('delivery.pickup_complete')
    await client.close()
  })

  test('watch goes on from the last event', async () => {
    const client = direct()
    const { deliveryId } = await client.createDelivery({ body: testOrder('WATCH-1') })
    const watch = cli.start(['deliveries', 'watch', deliveryId, '--interval', '200ms', '-o', 'ndjson'], { env })
    await until('a listing', () => listings > 0)
    await client.simulateDelivery({ deliveryId, body: { advanceTo: 'driver_assigned' } })
    await until('an event', () => watch.lines().some((line) => line.includes('driver_assigned')))
    await outage(() => client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }))
    const watched = await watch.ended
    expect(watched.exitCode, watched.stderr).toBe(0)
    const lines = watched.stdout.trim().split('\n')
    expect(lines.filter((line) => line.includes('"eventType":"delivery.pickup_complete"'))).toHaveLength(1)
    expect(watched.stderr.match(/The service is away/g)).toHaveLength(1)

    await client.close()
  })

  test.each([
    ['before the first look', true],
    ['later', false],
  ])('create --wait waits as well, %s', async (_, atOnce) => {
    const client = direct()
    const reference = `WAIT-${atOnce}`
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference, '--wait', 'delivered']
    const create = cli.start([...words, '--json'], { env })
    const created = async () =>
      (await Array.fromAsync(client.each('listDeliveries', { clientOrderReference: reference })))[0]
    await until('the order', async () => (await created()) !== undefined)
    if (!atOnce) await until('a listing', () => listings > 0)
    const { deliveryId } = (await created()) ?? { deliveryId: '' }
    await outage(() => client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }), 1)
    const { stdout, stderr, exitCode } = await create.ended
    expect(exitCode, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ deliveryId, status: 'delivered' })
    expect(stderr.match(/The service is away/g)).toHaveLength(1)
    await client.close()
  })

  test('sync --follow waits, from its first fill on, and misses nothing', async () => {
    const client = direct()
    const { deliveryId } = await client.createDelivery({ body: testOrder('SYNC-1') })
    const someone = createCli()
    const sync = someone.start(['sync', '--follow'], { env })
    await until('a listing', () => listings > 0)
    await outage(() => client.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }), 2)
    const query = ['query', "SELECT event_type FROM events WHERE event_type = 'delivery.delivered'", '--json']
    const isKept = async () => (await someone.run(query, { env })).stdout.includes('delivery.delivered')
    await until('the last event', isKept)
    const { stderr } = await sync.kill('SIGINT')
    expect(stderr.match(/The service is away/g)).toHaveLength(1)
    await client.close()
  })

  test('waitFor waits within its own time', async () => {
    const client = createClient({ baseUrl, apiKey: sandbox.running.apiKey })
    const { deliveryId } = await client.createDelivery({ body: testOrder('LIB-1') })
    const waiting = client.waitFor(deliveryId, 'delivered', { pollMs: 100 })
    const other = direct()
    await outage(() => other.simulateDelivery({ deliveryId, body: { advanceTo: 'delivered' } }))
    expect(await waiting).toMatchObject({ status: 'delivered' })
    isAway = true
    await expect(client.waitFor(deliveryId, 'cancelled', { timeoutMs: 500, pollMs: 50 })).rejects.toMatchObject({
      reason: 'timeout',
      hint: expect.stringContaining('The service is away'),
    })
    await Promise.all([client.close(), other.close()])
  })
})
