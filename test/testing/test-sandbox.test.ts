import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../src/contract/index.js'
import { createSandbox, startSandbox } from '../../src/sandbox/index.js'
import { clientOf, mswHandler, startTestSandbox, useSandbox } from '../../src/testing/index.js'
import { testOrder } from '../support/orders.js'

const robo = { metadata: { sandbox_pace: 'robo' } }

describe('startTestSandbox', () => {
  it('has a client, and keeps the verified webhooks of what happens', async () => {
    await using sandbox = await startTestSandbox()
    const { deliveryId } = await sandbox.client.createDelivery({ body: testOrder('T-1', robo), idempotencyKey: 'k-1' })
    await sandbox.clock.advance('10m')
    const event = await sandbox.waitForEvent({ eventType: 'delivery.delivered', deliveryId })
    expect(event.delivery).toMatchObject({ deliveryId, status: 'delivered' })
    expect(sandbox.events.map(({ eventType }) => eventType)).toContain('delivery.accepted')
  })

  it('takes webhooks that are signed with a rotated secret, and none that are not', async () => {
    await using sandbox = await startTestSandbox()
    await sandbox.steer('POST', '/secrets/rotate')
    await sandbox.steer('POST', '/secrets/drop')
    await sandbox.client.createDelivery({ body: testOrder('T-2'), idempotencyKey: 'k-2' })
    await sandbox.waitForEvent('delivery.accepted')
    await sandbox.steer('POST', '/faults', { rules: [{ hooks: 'wrongsecret' }] })
    await sandbox.client.createDelivery({ body: testOrder('T-3'), idempotencyKey: 'k-3' })
    await sandbox.settled()
    expect(sandbox.events).toHaveLength(1)
  })

  it('says what came instead of an event that did not come', async () => {
    await using sandbox = await startTestSandbox()
    await sandbox.client.createDelivery({ body: testOrder('T-4'), idempotencyKey: 'k-4' })
    await sandbox.waitForEvent('delivery.accepted')
    await expect(sandbox.waitForEvent('delivery.failed', { timeoutMs: 20 })).rejects.toThrow(
      'No event "delivery.failed" came within 20 ms; received: delivery.accepted',
    )
    await expect(sandbox.waitForEvent({ eventType: 'delivery.deliverd' }, { timeoutMs: 20 })).rejects.toMatchObject({
      hint: 'Did you mean "delivery.delivered"?',
    })
    expect(() => sandbox.waitForEvent('delivery.failed', { timeout: 20 } as object)).toThrow('no option "timeout"')
  })

  it('says what came of other deliveries, and refuses a condition that matches everything', async () => {
    await using sandbox = await startTestSandbox()
    await sandbox.client.createDelivery({ body: testOrder('T-7') })
    await sandbox.waitForEvent('delivery.accepted')
    const wanted = { eventType: 'delivery.accepted', deliveryId: 'del_other' } as const
    await expect(sandbox.waitForEvent(wanted, { timeoutMs: 1 })).rejects.toThrow(
      'received: none of this delivery, 1 of others',
    )
    expect(() => sandbox.waitForEvent({ type: 'delivery.failed' } as object)).toThrow('has no option "type"')
    expect(() => sandbox.waitForEvent(undefined as never)).toThrow('not undefined')
  })

  it.each([
    ['receivers', { receivers: ['http://127.0.0.1:9/hooks'] }, 'Webhooks are sent to the receivers that were given'],
    ['deliverWebhooks: false', { deliverWebhooks: false }, 'Nothing is sent with deliverWebhooks: false'],
    ['sendWebhook', { sendWebhook: () => new Promise<never>(() => {}) }, 'Webhooks are passed to sendWebhook instead.'],
  ])('says why no webhook comes with %s', async (_, options, hint) => {
    await using sandbox = await startTestSandbox(options)
    await expect(sandbox.waitForEvent('delivery.accepted', { timeoutMs: 1 })).rejects.toMatchObject({
      hint: expect.stringContaining(hint),
    })
  })

  it('says that its receiver was removed, or disabled after failures', async () => {
    await using sandbox = await startTestSandbox({ switches: { disableEndpointAfter: 1 } })
    await sandbox.steer('POST', '/faults', { rules: [{ hooks: 'wrongsecret' }] })
    await sandbox.client.createDelivery({ body: testOrder('T-8') })
    await sandbox.clock.advance('3d')
    const hintOf = () => sandbox.waitForEvent('delivery.accepted', { timeoutMs: 1 }).catch(({ hint }) => hint)
    expect(await hintOf()).toBe('The receiver of this sandbox is disabled after webhooks that failed.')
    await sandbox.steer('POST', '/reset')
    expect(await hintOf()).toBe('The receiver of this sandbox was removed; sandbox.reset() keeps it.')
  })

  it('refuses a receiver that the service does not send to, and leaves nothing open', async () => {
    await expect(startTestSandbox({ receivers: ['http://example.com/'] })).rejects.toThrow(/must be https/)
    await expect(startSandbox({ port: 70_000 })).rejects.toThrow('70000: a port is a number from 0 to 65535.')
  })
})

describe('useSandbox', () => {
  const sandbox = useSandbox({ beforeAll, beforeEach, afterAll })
  const seen: number[] = []
  afterEach(() => expect(seen).toEqual([0, 0].slice(0, seen.length)))

  it.each(['the first', 'the second'])('gives %s test a sandbox without deliveries and events', async () => {
    const { deliveries } = await sandbox.client.listDeliveries({ query: { from: new Date(0).toISOString() } })
    seen.push(deliveries.length + sandbox.events.length)
    await sandbox.client.createDelivery({ body: testOrder('T-5'), idempotencyKey: 'k-5' })
    await sandbox.waitForEvent('delivery.accepted')
  })

  it('asks for the hooks of the test runner', () => {
    expect(() => useSandbox(undefined as never)).toThrow('useSandbox needs the hooks of the test runner')
  })

  it.each([
    ['vitest, Jest, Bun, Deno, Playwright', ['beforeAll', 'beforeEach', 'afterAll']],
    ['node:test, mocha, tap, AVA, QUnit', ['before', 'beforeEach', 'after']],
    ['a group of Japa', ['setup', 'each.setup', 'teardown']],
    ['a suite of uvu', ['before', 'before.each', 'after']],
    ['Cucumber', ['BeforeAll', 'Before', 'AfterAll']],
  ])('works with the hooks of %s, called on their own object', async (_, names) => {
    const works: (() => Promise<void>)[] = []
    const runner: Record<string, unknown> = {}
    for (const [index, name] of names.entries()) {
      const [last = name, ...path] = name.split('.').reverse()
      const owner = path.reduce((at, next) => {
        at[next] ??= {}
        return at[next] as typeof runner
      }, runner)
      owner[last] = function (this: unknown, work: () => Promise<void>) {
        expect(this).toBe(owner)
        works[index] = work
      }
    }
    const other = useSandbox(runner as never)
    const [before, beforeEach, after] = works
    expect(() => other.client).toThrow(UsageError)
    await before?.()
    await other.client.createDelivery({ body: testOrder('T-6'), idempotencyKey: 'k-6' })
    await beforeEach?.()
    expect((await other.client.listDeliveries({ query: { from: new Date(0) } })).deliveries).toEqual([])
    await after?.()
    expect(() => other.client).toThrow('The sandbox is not running: client can be used only in tests and hooks.')
  })
})

describe('Without a socket', () => {
  it('a client asks a sandbox in this process', async () => {
    const sandbox = createSandbox({ rateLimit: 'off' })
    const client = clientOf(sandbox)
    expect(await client.getCapabilities()).toHaveProperty('accountType')
    await client.close()
    await sandbox.close()
  })

  it('a handler for msw answers what an app asks its usual address', async () => {
    const sandbox = createSandbox({ rateLimit: 'off' })
    const routes: { path: string; resolver: (info: { request: Request }) => Promise<Response> }[] = []
    const http = {
      all: (path: string, resolver: (info: { request: Request }) => Promise<Response>) =>
        routes.push({ path, resolver }),
    }
    mswHandler(http, sandbox, 'https://api.example.com/eu/delivery/v1/')
    const [route] = routes
    expect(route?.path).toBe('https://api.example.com/eu/delivery/v1/*')
    const headers = {
      authorization: `Bearer ${sandbox.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'k',
    }
    const request = new Request('https://api.example.com/eu/delivery/v1/deliveries', {
      method: 'POST',
      headers,
      body: JSON.stringify(testOrder('T-6')),
    })
    const response = await route?.resolver({ request })
    expect(response?.status).toBe(201)
    const found = await route?.resolver({
      request: new Request('https://api.example.com/eu/delivery/v1/deliveries?clientOrderReference=T-6', { headers }),
    })
    expect(JSON.stringify(await found?.json())).toContain('T-6')
    await sandbox.force('RESET')
    const reset = await route?.resolver({ request: new Request('https://api.example.com/eu/delivery/v1/health') })
    expect(reset?.type).toBe('error')
    await sandbox.close()
  })
})
