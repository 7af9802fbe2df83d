import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Client, type ClientOptions, createClient, idempotencyKeyOf } from '../../src/client/index.js'
import { commandTransport } from '../../src/client/internal.js'
import { hurriedClock } from '../support/client/hurried-clock.js'
import { type Fault, faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'
import { startHttpServer } from '../support/http-server.js'
import { testOrder } from '../support/orders.js'

let server: ScriptedServer
let client: Client

const open = (options: Partial<ClientOptions> = {}) =>
  createClient({
    baseUrl: server.baseUrl,
    apiKey: 'key-canary',
    clock: hurriedClock(),
    transport: commandTransport({ environment: {} }),
    ...options,
  })

beforeEach(async () => {
  server = await startScriptedServer()
  client = open()
})
afterEach(async () => {
  await client.close()
  await server.close()
})

function create(reference = 'R-1') {
  const order = testOrder(reference)
  return client.call('createDelivery', { body: order, idempotencyKey: idempotencyKeyOf({ scope: 'test', order }) })
}

/** Answers every connection with these bytes, and ends it. */
async function answerWith(bytes: string): Promise<void> {
  const raw = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(bytes))
  })
  client = open({ baseUrl: `${await startHttpServer(raw)}/delivery/v1`, retries: { maxRetries: 0 } })
}

describe('The first requests of a command', () => {
  test.each([
    ['a reset before the service executed', faults.resetBefore()],
    ['a reset after it executed', faults.resetAfter()],
    ['a reset in mid-response', faults.resetMidway()],
    ['a response that the end of the connection cuts short', faults.closeDelimited()],
    ['truncated JSON', faults.truncatedJson()],
  ] satisfies [string, Fault][])('survive %s with the same key and bytes', async (_, fault) => {
    server.play(fault)
    expect((await create()).attempts).toBe(2)
    expect(server.service.creations).toBe(1)
    expect(new Set(server.requests.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`)).size).toBe(1)
  })

  test('survive the reset of an idle connection', async () => {
    await create('R-0')
    server.play(faults.resetBefore())
    expect((await create('R-1')).attempts).toBe(2)
    expect(server.service.creations).toBe(2)
  })

  test('carry what undici’s carry, apart from the order of headers', async () => {
    await create()
    await open({ transport: undefined }).call('createDelivery', {
      body: testOrder('R-1'),
      idempotencyKey: idempotencyKeyOf({ scope: 'test', order: testOrder('R-1') }),
    })
    const [ours, theirs] = server.requests
    expect(ours?.headers).toEqual(theirs?.headers)
    expect(ours?.body).toBe(theirs?.body)
  })

  test('unpack what is packed, and read headers in any spelling', async () => {
    server.always = ({ response }) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip', 'X-Request-Id': 'r1' })
      response.end(gzipSync(JSON.stringify({ deliveryId: 'del_7', status: 'accepted' })))
    }
    expect(await client.getDelivery({ deliveryId: 'del_7' })).toEqual({ deliveryId: 'del_7', status: 'accepted' })
  })

  test('stop a body at the limit', async () => {
    client = open({ maxBytes: 1_000 })
    server.always = faults.answer({ status: 200, headers: {}, body: ' '.repeat(1_001) })
    await expect(client.getDelivery({ deliveryId: 'del_1' })).rejects.toMatchObject({ reason: 'too-large' })
    expect(server.requests).toHaveLength(1)
  })

  test('end at once when interrupted', async () => {
    const controller = new AbortController()
    client = open({ signal: controller.signal })
    server.play(() => controller.abort())
    await expect(create()).rejects.toMatchObject({ name: 'AbortError', cause: { reason: 'aborted' } })
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'not-the-service'],
    ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`, 'too-large'],
    [
      'a switch to another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'reset',
    ],
    ['nothing', '', 'reset'],
  ])('fail clearly if the answer is %s', async (_, bytes, reason) => {
    await answerWith(bytes)
    await expect(client.getDelivery({ deliveryId: 'del_1' })).rejects.toMatchObject({ kind: 'connection', reason })
  })

  test('fail clearly if a connection is accepted but never secured', async () => {
    const raw = createServer((socket) => void onTestFinished(() => void socket.destroy()))
    const secure = (await startHttpServer(raw)).replace('http:', 'https:')
    client = open({
      baseUrl: `${secure}/delivery/v1`,
      retries: { maxRetries: 0 },
      transport: commandTransport({ environment: {}, connectTimeoutMs: 50 }),
    })
    const failure = await client.getDelivery({ deliveryId: 'del_1' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ reason: 'unreachable', message: expect.stringContaining('within 50 ms') })
  })
})

describe('Further requests of a command', () => {
  test('go by undici, on connections of its own', async () => {
    const body = '{"deliveryId":"del_1","status":"accepted"}'
    server.always = faults.answer({ status: 200, headers: { 'content-type': 'application/json' }, body })
    for (let count = 0; count < 7; count++) await client.getDelivery({ deliveryId: 'del_1' })
    expect(server.requests.map(({ connection }) => connection === 1)).toEqual([...Array(5).fill(true), false, false])
  })

  test('are all answered if they are sent at once', async () => {
    await Promise.all(['R-1', 'R-2', 'R-3', 'R-4'].map(create))
    expect(server.service.creations).toBe(4)
  })
})
