import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Client, type ClientOptions, createClient, createPacer, idempotencyKeyOf } from '../../src/client/index.js'
import { ApiError, ConnectionError, ContractError } from '../../src/contract/index.js'
import { type HurriedClock, hurriedClock } from '../support/client/hurried-clock.js'
import { type Fault, faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'
import { reply } from '../support/client/scripted-service.js'
import { freePort } from '../support/free-port.js'
import { testOrder } from '../support/orders.js'

let server: ScriptedServer
let clock: HurriedClock
const clients: Client[] = []

beforeEach(async () => {
  server = await startScriptedServer()
  clock = hurriedClock()
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await server.close()
})

function open(options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key-canary', clock, ...options })
  clients.push(client)
  return client
}

function create(client: Client, reference = 'R-1') {
  const order = testOrder(reference)
  return client.call('createDelivery', { body: order, idempotencyKey: idempotencyKeyOf({ scope: 'test', order }) })
}

/** Every request carried the same key and the same bytes. */
function expectSameBytes(): void {
  expect(new Set(server.requests.map((request) => request.headers['idempotency-key'])).size).toBe(1)
  expect(new Set(server.requests.map((request) => request.body)).size).toBe(1)
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('should have failed'),
    (error: unknown) => error,
  )

describe('A create that meets a fault', () => {
  const healed: [string, Fault][] = [
    ['a timeout after the service executed', faults.hangAfter()],
    ['a timeout before it did', faults.hang()],
    ['a reset after it executed', faults.resetAfter()],
    ['a reset before it did', faults.resetBefore()],
    ['a reset in mid-response', faults.resetMidway()],
    ['truncated JSON', faults.truncatedJson()],
    ['a 201 cut short by the end of the connection', faults.closeDelimited()],
    ['a 201 without deliveryId', faults.without('deliveryId')],
    ['a body that drips', faults.drip(40)],
    ['an internal error', faults.refuse(500, 'INTERNAL_ERROR')],
    ['a request with the same key in flight', faults.refuse(409, 'IDEMPOTENCY_CONFLICT')],
    ['an HTML 502', faults.answer({ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad</h1>' })],
    ['an empty 201', faults.answer({ status: 201, headers: { 'content-type': 'application/json' }, body: '' })],
  ]
  test.each(
    healed,
  )('is sent again with the same key and bytes after %s, and creates one delivery', async (name, fault) => {
    server.play(fault)
    // Short only where the fault is silence: a busy machine must not make timeouts of the others.
    const isSilent = /timeout|drips/.test(name)
    const created = await create(open(isSilent ? { attemptTimeoutMs: 400 } : {}))
    expect(created.value.deliveryId).toBe('del_1')
    expect(server.service.creations).toBe(1)
    expect(server.requests).toHaveLength(2)
    expectSameBytes()
  })

  test('survives the reset of an idle connection', async () => {
    const client = open()
    await create(client, 'R-0')
    server.requests.length = 0
    server.play(faults.resetBefore())
    await create(client, 'R-1')
    expect(server.service.creations).toBe(2)
    expectSameBytes()
  })

  test('waits as long as three 503 ask and succeeds at the fourth attempt', async () => {
    server.play(...Array.from({ length: 3 }, () => faults.refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '2' })))
    const created = await create(open())
    expect(created.attempts).toBe(4)
    expect(clock.waitsMs).toEqual([2_000, 2_000, 2_000])
    expect(server.service.creations).toBe(1)
    expectSameBytes()
  })

  test('obeys a Retry-After date by the service’s own clock', async () => {
    const serviceNow = Date.now() - 600_000
    const headers = {
      date: new Date(serviceNow).toUTCString(),
      'retry-after': new Date(serviceNow + 5_000).toUTCString(),
    }
    server.play(faults.refuse(429, 'RATE_LIMIT_EXCEEDED', headers))
    await create(open())
    expect(clock.waitsMs).toEqual([5_000])
  })

  describe.each([
    ['back by ten days', -10],
    ['ahead by forty days', 40],
  ])('while this machine’s clock is set %s', (_, days) => {
    const setClock = (fault: Fault): Fault => {
      return (turn) => {
        clock.oversleep(days * 86_400_000)
        fault(turn)
      }
    }
    const tooMany = faults.refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '0' })

    test('is sent again if it was not executed', async () => {
      server.play(setClock(tooMany), faults.refuse(503, 'SERVICE_UNAVAILABLE'))
      expect((await create(open())).attempts).toBe(3)
      expect(server.service.creations).toBe(1)
    })

    test('is not sent again if it may have been executed, and fails with that attempt’s error', async () => {
      server.play(faults.resetAfter(), setClock(tooMany))
      expect(await failureOf(create(open()))).toMatchObject({ kind: 'connection', reason: 'reset' })
      expect(server.requests).toHaveLength(2)
      expect(server.service.creations).toBe(1)
    })
  })

  test('stops at a Retry-After longer than the time allowed and says when to come back', async () => {
    server.always = faults.refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' })
    const failure = await failureOf(create(open()))
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ status: 429, hint: expect.stringMatching(/wait 60 min: try again at 20\d\d-/) })
    expect(server.requests).toHaveLength(1)
  })

  test('holds the others of its pacer for as long as Retry-After asks', async () => {
    const pacer = createPacer({ clock })
    server.play(faults.refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' }))
    await failureOf(create(open({ pacer })))
    expect(pacer.heldForMs()).toBeGreaterThan(3_000_000)
  })

  test('retries 429 until the time limit', async () => {
    server.always = faults.refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '1' })
    const failure = await failureOf(create(open({ timeoutMs: 20_000 })))
    expect(failure).toMatchObject({ status: 429, hint: expect.stringContaining('Tried') })
    expect(server.requests.length).toBeGreaterThanOrEqual(19)
    expect(server.requests.length).toBeLessThanOrEqual(21)
  })

  const refused: [string, number][] = [
    ['VALIDATION_ERROR', 400],
    ['UNAUTHORIZED', 401],
    ['QUOTES_NOT_SUPPORTED', 403],
    ['DELIVERY_NOT_FOUND', 404],
    ['IDEMPOTENCY_KEY_REUSED', 409],
    ['DUPLICATE_ORDER', 409],
    ['QUOTE_EXPIRED', 409],
    ['NO_ELIGIBLE_PROVIDERS', 422],
  ]
  test.each(refused)('is not repeated after %s (%i)', async (code, status) => {
    server.always = faults.refuse(status, code)
    expect(await failureOf(create(open()))).toMatchObject({ code, status })
    expect(server.requests).toHaveLength(1)
  })

  test('says that the order changed where its key was used for another', async () => {
    server.play(faults.refuse(409, 'IDEMPOTENCY_KEY_REUSED'))
    expect(await failureOf(create(open()))).toMatchObject({
      hint: expect.stringContaining('The order changed since this key was used'),
    })
  })

  test('is never reported as created without an id', async () => {
    server.always = faults.without('deliveryId')
    const failure = await failureOf(create(open()))
    expect(failure).toBeInstanceOf(ContractError)
    expect(failure).toMatchObject({ operation: 'createDelivery', requestId: 'req_scripted' })
    expect(server.service.creations).toBe(1)
  })

  test('shows a short, escaped excerpt of what is not the service’s', async () => {
    server.always = faults.answer({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: `It works!\u001b]0;owned\u0007${'x'.repeat(5_000)}`,
    })
    const failure = await failureOf(create(open()))
    expect(failure).toBeInstanceOf(ConnectionError)
    expect(failure).toMatchObject({ reason: 'not-the-service', status: 200 })
    const { message } = failure as ConnectionError
    expect(message).toContain('It works!\\u001b]0;owned\\u0007')
    expect(message.length).toBeLessThan(200)
    expect(server.requests).toHaveLength(1)
  })

  test('ends a dripping answer at the total deadline', async () => {
    server.always = faults.drip(50)
    const failure = await failureOf(create(open({ timeoutMs: 300 })))
    expect(failure).toMatchObject({ kind: 'connection', reason: 'timeout' })
    expectSameBytes()
  })

  test('does not follow a redirect, nor send the key there', async () => {
    const elsewhere = await startScriptedServer()
    try {
      server.play(faults.answer({ status: 307, headers: { location: `${elsewhere.baseUrl}/deliveries` }, body: '' }))
      expect(await failureOf(create(open()))).toMatchObject({ reason: 'redirect', status: 307 })
      expect(server.requests).toHaveLength(1)
      expect(elsewhere.requests).toHaveLength(0)
    } finally {
      await elsewhere.close()
    }
  })

  test('stops a gzip bomb at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, 0x20))
    server.always = (turn) => {
      turn.response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      turn.response.end(bomb)
    }
    const before = process.memoryUsage().rss
    const failure = await failureOf(open({ maxBytes: 5_000_000 }).getDelivery({ deliveryId: 'del_1' }))
    expect(failure).toMatchObject({ reason: 'too-large' })
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
    expect(server.requests).toHaveLength(1)
  })

  test('stops an endless body at the limit', async () => {
    let sent = 0
    server.always = ({ response, socket }) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(262_144, 0x20)
      const more = () => {
        if (socket.destroyed) return
        sent += chunk.length
        response.write(chunk, more)
      }
      more()
    }
    const failure = await failureOf(open({ maxBytes: 2_000_000 }).getDelivery({ deliveryId: 'del_1' }))
    expect(failure).toMatchObject({ reason: 'too-large' })
    expect(sent).toBeLessThan(40_000_000)
  })

  test('unpacks what is packed as asked', async () => {
    server.always = ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(gzipSync(JSON.stringify({ deliveryId: 'del_7', status: 'accepted' })))
    }
    expect(await open().getDelivery({ deliveryId: 'del_7' })).toEqual({ deliveryId: 'del_7', status: 'accepted' })
  })

  test('says by how much this machine’s clock is off where that may be the cause', async () => {
    const date = new Date(Date.now() + 600_000).toUTCString()
    const client = open()
    server.play(faults.refuse(422, 'INVALID_TIME_CONSTRAINT', { date }))
    expect(await failureOf(create(client))).toMatchObject({
      hint: "This machine's clock is 10 min behind the service's.",
    })
    expect(Math.round((client.clockSkewMs() ?? 0) / 60_000)).toBe(10)
  })

  test('is repeated when nothing listened at first', async () => {
    const port = await freePort()
    const attempts: (string | undefined)[] = []
    const client = open({
      retries: { maxRetries: 2 },
      baseUrl: `http://127.0.0.1:${port}/delivery/v1`,
      onTrace: ({ error }) => attempts.push(error),
    })
    expect(await failureOf(create(client))).toMatchObject({ reason: 'refused' })
    expect(attempts).toHaveLength(3)
  })

  test('ends at once when interrupted, in flight or waiting', async () => {
    const controller = new AbortController()
    server.play((turn) => {
      turn.execute()
      controller.abort()
    })
    expect(await failureOf(create(open({ signal: controller.signal })))).toBe(controller.signal.reason)
    expect(server.requests).toHaveLength(1)
    expect(await failureOf(create(open({ signal: controller.signal })))).toBe(controller.signal.reason)
    expect(server.requests).toHaveLength(1)
  })
})

describe('A write without a key', () => {
  beforeEach(() => {
    server.service.execute('POST', '/delivery/v1/deliveries', 'k', JSON.stringify(testOrder('R-1')))
  })
  const update = { deliveryId: 'del_1', body: { dropoff: { instructions: 'Ring twice' } } }
  const methods = () => server.requests.map((request) => request.method)

  test.each([
    ['a timeout', faults.hangAfter()],
    ['a reset', faults.resetAfter()],
    ['an internal error after all', faults.refuseAfter(500, 'INTERNAL_ERROR')],
  ] as [string, Fault][])('is found applied by reading after %s, and not sent again', async (_, fault) => {
    server.play(fault)
    const delivery = await open({ attemptTimeoutMs: 400 }).updateDelivery(update)
    expect(delivery.dropoff).toMatchObject({ instructions: 'Ring twice' })
    expect(methods()).toEqual(['PATCH', 'GET'])
    expect(server.service.updates).toBe(1)
  })

  test('has time left for reading when its answer never comes', async () => {
    server.play(faults.hangAfter())
    const delivery = await open({ timeoutMs: 1_200 }).updateDelivery(update)
    expect(delivery.dropoff).toMatchObject({ instructions: 'Ring twice' })
    expect(methods()).toEqual(['PATCH', 'GET'])
  })

  test('is sent again only after reading shows that nothing happened', async () => {
    server.service.execute('PATCH', '/delivery/v1/deliveries/del_1', undefined, '{"dropoff":{"instructions":"Old"}}')
    server.play(faults.resetBefore())
    await open().updateDelivery(update)
    expect(methods()).toEqual(['PATCH', 'GET', 'PATCH'])
    expect(server.service.updates).toBe(2)
  })

  test('is left undecided, with a word, where reading cannot tell', async () => {
    server.play(faults.resetAfter())
    const unseen = { deliveryId: 'del_1', body: { package: { weightGrams: 500 } } }
    expect(await failureOf(open().updateDelivery(unseen))).toMatchObject({
      reason: 'reset',
      hint: 'The changes were sent and may have been applied. Sent again, they set the same values.',
    })
    expect(methods()).toEqual(['PATCH', 'GET'])
  })

  test('settles a lost simulation by the status', async () => {
    server.play(faults.resetAfter())
    const input = { deliveryId: 'del_1', body: { advanceTo: 'driver_assigned' as const } }
    expect(await open().simulateDelivery(input)).toEqual({
      deliveryId: 'del_1',
      livemode: false,
      status: 'driver_assigned',
      emittedEvents: ['delivery.driver_assigned'],
    })
    expect(server.service.simulations).toBe(1)
  })

  test('gives a cancel a key of its own, so that it can be repeated', async () => {
    server.play(faults.resetAfter())
    const cancelled = await open().call('cancelDelivery', { deliveryId: 'del_1' })
    expect(cancelled).toMatchObject({ replayed: true, value: { status: 'cancelled' } })
    expect(server.service.cancellations).toBe(1)
    expectSameBytes()
  })
})

describe('Pages under faults', () => {
  test('continue where they were after a fault in the middle', async () => {
    const page = (id: string, nextCursor: string | null) =>
      faults.answer(reply(200, { deliveries: [{ deliveryId: id, status: 'accepted' }], nextCursor }))
    server.play(page('del_1', 'c1'), faults.resetBefore(), page('del_2', null))
    const ids: string[] = []
    for await (const each of open().each('listDeliveries', { from: '2026-01-01T00:00:00Z' })) ids.push(each.deliveryId)
    expect(ids).toEqual(['del_1', 'del_2'])
  })
})
