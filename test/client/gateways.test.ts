import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createClient, createOnce } from '../../src/client/index.js'
import type { InputOf } from '../../src/contract/index.js'
import { createCli } from '../support/cli/program.js'
import { hurriedClock } from '../support/client/hurried-clock.js'
import { type Fault, serveScripted, type Turn } from '../support/client/scripted-server.js'
import { testOrder } from '../support/orders.js'
import { createTempDir } from '../support/temp-dir.js'

const { server, env } = serveScripted()
const cli = createCli(afterAll)

const varnishPage = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html><head><title>503 Backend fetch failed</title></head><body><h1>Error 503 Backend fetch failed</h1>
<p>Backend fetch failed</p><h3>Guru Meditation:</h3><p>XID: 3</p><hr><p>Varnish cache server</p></body></html>`

/** A page of something in front, after the service has executed the request and closed the connection. */
const inFront =
  (status: number, body = varnishPage, headers: Record<string, string> = {}): Fault =>
  (turn) => {
    turn.execute()
    turn.send({ status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body })
  }

/** As Varnish 7.1 answers for a service that closed. */
const varnish = inFront(503, varnishPage, {
  server: 'Varnish',
  'retry-after': '0',
  date: 'Sat, 01 Jan 2000 00:00:00 GMT',
})
const googleBody = JSON.stringify({ error: { code: 'UNAVAILABLE', message: 'upstream reset' } })

const pages: [name: string, fault: Fault][] = [
  ['Varnish answers 503', varnish],
  ['nginx answers 502', inFront(502, '<html><head><title>502 Bad Gateway</title></head></html>')],
  ['HAProxy answers 504', inFront(504, '<html><body><h1>504 Gateway Time-out</h1></body></html>')],
  [
    'a balancer answers 503 with an error body of the same form',
    inFront(503, googleBody, { 'content-type': 'application/json' }),
  ],
  ['a gateway answers 408', inFront(408, 'Request Timeout')],
  ['a gateway answers 499', inFront(499, '')],
  ['Cloudflare answers 520', inFront(520, 'error code: 520', { server: 'cloudflare' })],
  ['Cloudflare answers 524', inFront(524, 'error code: 524', { server: 'cloudflare' })],
]

const open = () => createClient({ baseUrl: server.baseUrl, apiKey: 'key', clock: hurriedClock() })
const order = (reference: string) => ({ body: testOrder(reference), idempotencyKey: `key-${reference}` })
const writesOf = (operation: RegExp) =>
  server.requests.filter(({ method, path }) => operation.test(`${method} ${path}`))

describe('When something in front answers for a service that has executed the request', () => {
  test.each(pages)('(%s) a create is its own, once', async (_, fault) => {
    server.play(fault)
    const answer = await open().call('createDelivery', order('R-1'))
    expect(answer).toMatchObject({ wasLost: true, value: { deliveryId: 'del_1' } })
    expect(server.service.creations).toBe(1)
  })

  test.each(pages)('(%s) a change and a simulation are read, not sent again', async (_, fault) => {
    const client = open()
    const { deliveryId } = await client.createDelivery(order('R-1'))
    server.play(fault)
    await client.updateDelivery({ deliveryId, body: { dropoff: { instructions: 'Ring twice' } } })
    server.play(fault)
    const { status } = await client.simulateDelivery({ deliveryId, body: { advanceTo: 'driver_assigned' } })
    expect(status).toBe('driver_assigned')
    expect([server.service.updates, server.service.simulations]).toEqual([1, 1])
    expect([writesOf(/^PATCH/).length, writesOf(/simulate$/).length]).toEqual([1, 1])
  })

  test.each(pages)('(%s) a cancellation is this one, also where a second is refused', async (_, fault) => {
    const client = open()
    const { deliveryId } = await client.createDelivery(order('R-1'))
    server.play(fault, (turn) =>
      turn.send({
        status: 409,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ error: { code: 'INVALID_STATE_TRANSITION', message: 'cancelled', requestId: 'r' } }),
      }),
    )
    const answer = await client.call('cancelDelivery', { deliveryId, idempotencyKey: 'k' })
    expect(answer).toMatchObject({ wasLost: true, replayed: false, value: { status: 'cancelled' } })
  })

  test('for good, an order and a cancellation are settled by reading', async () => {
    server.always = (turn) => (turn.request.method === 'GET' ? turn.send(turn.execute()) : varnish(turn))
    const said = async (words: string[]) => {
      const { stdout, stderr, exitCode } = await cli.run(words, { env: env() })
      expect(exitCode, stderr).toBe(0)
      return stdout + stderr
    }
    const words = ['--ref', 'R-1', '--store', 'STORE-001', '--to', '300 Hay St, Fayetteville, NC 28301']
    expect(await said(['deliveries', 'create', ...words])).not.toMatch(/already|earlier|dispatched/i)
    expect(await said(['deliveries', 'cancel', 'del_1'])).not.toMatch(/already|original/i)
    const file = join(createTempDir(), 'orders.ndjson')
    writeFileSync(file, [1, 2].map((at) => JSON.stringify(testOrder(`B-${at}`))).join('\n'))
    const results = join(createTempDir(), 'results.ndjson')
    const run = await said(['deliveries', 'create', '--file', file, '--results', results])
    expect(run).toMatch(/2 created/)
    expect(server.service.creations).toBe(3)
  })

  test('what it refused itself is no order that may have been dispatched', async () => {
    for (const status of [413, 414, 431]) {
      server.always = (turn) => turn.send({ status, headers: {}, body: '<html>too large</html>' })
      const failure = await open()
        .createDelivery(order(`R-${status}`))
        .catch((error: unknown) => error)
      expect(failure).toMatchObject({ status })
      expect(JSON.stringify(failure)).not.toContain('may have been')
    }
    server.always = (turn) => turn.send({ status: 429, headers: { 'retry-after': '3600' }, body: 'slow down' })
    const failure = await open()
      .createDelivery(order('R-429'))
      .catch((error: unknown) => error)
    expect(JSON.stringify(failure)).not.toContain('may have been')
  })

  test('its clock is not the service’s', async () => {
    const client = open()
    server.play(varnish)
    await client.createDelivery(order('R-1'))
    expect(Math.abs(client.clockSkewMs() ?? 0)).toBeLessThan(60_000)
    server.always = varnish
    await client.getDelivery({ deliveryId: 'del_1' }, { retries: { maxRetries: 0 } }).catch(() => undefined)
    expect(Math.abs(client.clockSkewMs() ?? 0)).toBeLessThan(60_000)
  })

  test('a body of the contract counts, whatever its type', async () => {
    const body = JSON.stringify({ error: { code: 'SERVICE_UNAVAILABLE', message: 'later', requestId: 'r' } })
    server.play((turn) => turn.send({ status: 503, headers: { 'content-type': 'text/plain' }, body }))
    expect(await open().call('createDelivery', order('R-1'))).toMatchObject({ wasLost: false, attempts: 2 })
  })

  /** What stands in front for good: pages, logins, firewalls, bodies of another program. */
  const html = '<html><head><title>Sign in</title></head></html>'
  const fronts: Parameters<Turn['send']>[0][] = [
    ...[200, 201, 400, 402, 403, 404, 405, 409, 410, 418, 421, 422, 423, 425, 451].map((status) => page(status)),
    ...[500, 501, 502, 504, 505, 507, 520, 521, 522, 523, 525, 526, 527, 530, 599].map((status) => page(status)),
    ...[301, 302, 303, 307, 308].map((status) => page(status, { location: 'https://login.example.com/' })),
    { status: 204, headers: {}, body: '' },
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' },
  ]
  function page(status: number, headers: Record<string, string> = {}) {
    return { status, headers: { 'content-type': 'text/html', ...headers }, body: html }
  }

  /** Sends an order once, and says how it ended. */
  async function outcomeOf(reference: string): Promise<string> {
    const body = testOrder(reference) as InputOf<'createDelivery'>['body']
    const identified = { order: body, idempotencyKey: `key-${reference}`, bodyHash: reference }
    return createOnce(open(), identified, { record: () => [{ wasSent: false }] }).then(
      ({ outcome, delivery }) => `${outcome} ${delivery.clientOrderReference}`,
      (error: Error & { hint?: string }) => `${error.message} ${error.hint}`,
    )
  }

  test('nothing that it says makes an order two, or tells of one what is not known', async () => {
    const wrong: string[] = []
    const expectOf = async (reference: string, expected: RegExp, not = /^$/) => {
      const told = await outcomeOf(reference)
      if (!expected.test(told) || not.test(told)) wrong.push(`${reference}: ${told}`)
    }
    for (const [at, front] of fronts.entries()) {
      const name = `${at}-${front.status}`
      const inFront = (executes: boolean) => {
        server.always = (turn) => {
          if (turn.request.method === 'GET') return turn.send(turn.execute())
          if (executes) turn.execute()
          turn.send(front)
        }
      }
      const isRedirect = front.status >= 300 && front.status < 400
      const isSeen = front.headers['content-type'] === 'text/html' && ![400, 505].includes(front.status) && !isRedirect
      inFront(true)
      await expectOf(`OWN-${name}`, isSeen || front.status === 505 ? /^created/ : /./, /existing|already/)
      inFront(false)
      await expectOf(`NONE-${name}`, /HTTP|redirect|empty|contract/, /^created|existing/)
      // Another program had this one yesterday: the service refuses, and the front hides it.
      const { deliveryId } = await other(`OLD-${name}`)
      const old = server.service.deliveries.get(deliveryId)
      Object.assign(old ?? {}, { createdAt: new Date(Date.now() - 86_400_000).toISOString() })
      await expectOf(`OLD-${name}`, isSeen ? /^existing/ : /./, /^created/)
      const unknown = await other(`WHEN-${name}`)
      Object.assign(server.service.deliveries.get(unknown.deliveryId) ?? {}, { createdAt: null, statusHistory: [] })
      await expectOf(`WHEN-${name}`, isSeen ? /the service does not say/ : /./, /^created|^existing/)
    }
    expect(wrong).toEqual([])
    expect(server.service.creations).toBe(3 * fronts.length)
  })

  /** A delivery of another program, which has a key of its own. */
  async function other(reference: string): Promise<{ deliveryId: string }> {
    const always = server.always
    server.always = undefined
    const delivery = await open().createDelivery({ body: testOrder(reference), idempotencyKey: `other-${reference}` })
    server.always = always
    return delivery
  }
})

test.each([
  ['a moment later', 0],
  ['when its time is over', 400],
])('what a gateway said is told, and not that too little time was left for another attempt: waking %s', async (_, lateMs) => {
  const hurried = hurriedClock()
  const clock = { ...hurried, sleep: (delayMs: number) => hurried.sleep(Math.max(delayMs + lateMs, 990)) }
  server.always = (turn) => turn.send({ status: 502, headers: {}, body: '<title>502 Bad Gateway</title>' })
  const asked = () => server.requests.length
  const before = asked()
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key', timeoutMs: 1_000, clock })
  await expect(client.getDelivery({ deliveryId: 'del_1' })).rejects.toThrow('502 Bad Gateway')
  expect(asked() - before).toBe(1)
})

test('a wait that is allowed is waited, however near it comes to the longest allowed one', async () => {
  const clock = hurriedClock()
  const page = { status: 503, headers: { 'retry-after': '1' }, body: '<title>503</title>' }
  server.play((turn) => turn.send(page))
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key', maxWaitMs: 1_040, random: () => 0, clock })
  await expect(client.getDelivery({ deliveryId: 'del_1' })).rejects.toMatchObject({ status: 404 })
  expect(clock.waitsMs).toHaveLength(1)
})
