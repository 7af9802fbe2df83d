import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, createClient, fetchTransport, type HttpTrace } from '../../src/client/index.js'
import { ApiError, ConnectionError, ContractError, UsageError } from '../../src/contract/index.js'
import { faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'
import { reply } from '../support/client/scripted-service.js'
import { testOrder } from '../support/orders.js'

let server: ScriptedServer
let client: Client
const traces: HttpTrace[] = []

beforeAll(async () => {
  server = await startScriptedServer()
  client = createClient({
    baseUrl: server.baseUrl,
    apiKey: 'dlvk_sbx_canary',
    onTrace: (trace) => traces.push(trace),
  })
})
afterAll(async () => {
  await client.close()
  await server.close()
})
beforeEach(() => {
  traces.length = 0
})

describe('The typed layer', () => {
  test('creates a delivery with key, bearer token and JSON body, and reads it back', async () => {
    const created = await client.call('createDelivery', { body: testOrder('A-1'), idempotencyKey: 'key-1' })
    expect(created).toMatchObject({ status: 201, replayed: false, requestId: 'req_scripted', attempts: 1 })
    const received = server.requests.at(-1)
    expect(received).toMatchObject({ method: 'POST', path: '/delivery/v1/deliveries' })
    expect(received?.headers).toMatchObject({
      authorization: 'Bearer dlvk_sbx_canary',
      'idempotency-key': 'key-1',
      'content-type': 'application/json',
    })
    expect(await client.getDelivery({ deliveryId: created.value.deliveryId })).toEqual(created.value)
  })

  test('says that an answer was replayed', async () => {
    const again = await client.call('createDelivery', { body: testOrder('A-1'), idempotencyKey: 'key-1' })
    expect(again).toMatchObject({ status: 200, replayed: true })
  })

  test('keeps unknown properties, unknown enum values and the order of keys', async () => {
    const body = { zulu: 1, status: 'teleported', deliveryId: 'del_9', alpha: { b: 1, a: 2 } }
    server.play(faults.answer(reply(200, body)))
    const delivery = await client.getDelivery({ deliveryId: 'del_9' })
    expect(JSON.stringify(delivery)).toBe(JSON.stringify(body))
    expect(traces.at(-1)?.drift).toEqual([
      { path: 'zulu', kind: 'unknown property' },
      { path: 'status', kind: 'unknown value', value: 'teleported' },
      { path: 'alpha', kind: 'unknown property' },
    ])
  })

  test('reads a bare array where a page is expected, and a wrapped list where an array is', async () => {
    server.play(faults.answer(reply(200, [{ deliveryId: 'del_1', status: 'accepted' }])))
    const page = await client.listDeliveries({ query: { clientOrderReference: 'A-1' } })
    expect(page).toEqual({ deliveries: [{ deliveryId: 'del_1', status: 'accepted' }], nextCursor: null })
    server.play(faults.answer(reply(200, { drivers: [] })))
    expect(await client.listDrivers()).toEqual([])
  })

  test('percent-encodes path parameters and refuses those that climb', async () => {
    const encoded = 'a/b?c#d%2e'
    server.play(faults.answer(reply(200, { deliveryId: encoded, status: 'accepted' })))
    await client.getDelivery({ deliveryId: encoded })
    expect(server.requests.at(-1)?.path).toBe('/delivery/v1/deliveries/a%2Fb%3Fc%23d%252e')
    for (const deliveryId of ['', '.', '..']) {
      await expect(client.getDelivery({ deliveryId })).rejects.toThrow(UsageError)
    }
  })

  test('turns an error body into an ApiError with everything that it carries', async () => {
    const details = { fieldErrors: [{ field: 'dropoff.contactPhone', code: 'INVALID_FORMAT', message: 'no' }] }
    server.play(faults.answer(reply(400, { error: { code: 'NEW_CODE', message: 'Refused\u001b[2J', details } })))
    const failure = await client.getDelivery({ deliveryId: 'del_1' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({
      status: 400,
      code: 'NEW_CODE',
      message: 'Refused\\u001b[2J',
      requestId: 'req_scripted',
      fieldErrors: details.fieldErrors,
      details,
    })
  })

  test('reports a degraded health answer as a value', async () => {
    server.play(faults.answer(reply(503, { status: 'degraded', checkedAt: '2026-03-02T15:00:00Z' })))
    const health = await client.call('getHealth', {})
    expect(health).toMatchObject({ status: 503, value: { status: 'degraded' } })
    expect(server.requests.at(-1)?.headers.authorization).toBeUndefined()
  })

  test('walks pages with the same filters and stops at the last', async () => {
    const page = (id: string, nextCursor: string | null) =>
      faults.answer(reply(200, { deliveries: [{ deliveryId: id, status: 'accepted' }], nextCursor }))
    server.play(page('del_1', 'c1'), page('del_2', 'c2'), page('del_3', null))
    const ids: string[] = []
    const query = { from: '2026-01-01T00:00:00Z', status: 'accepted' as const, limit: 1 }
    for await (const delivery of client.each('listDeliveries', query)) ids.push(delivery.deliveryId)
    expect(ids).toEqual(['del_1', 'del_2', 'del_3'])
    const sent = server.requests.slice(-3).map((request) => new URL(request.path, server.origin).searchParams)
    expect(sent.map((parameters) => parameters.get('cursor'))).toEqual([null, 'c1', 'c2'])
    expect(new Set(sent.map((parameters) => `${parameters.get('from')} ${parameters.get('status')}`)).size).toBe(1)
  })

  test('stops at a cursor that comes back', async () => {
    const page = (nextCursor: string) => faults.answer(reply(200, { deliveries: [], nextCursor }))
    server.play(page('c1'), page('c2'), page('c1'))
    const walk = async () => {
      for await (const _ of client.pages('listDeliveries', { from: '2026-01-01T00:00:00Z' }));
    }
    await expect(walk()).rejects.toThrow(ContractError)
  })

  test('keeps secrets and persons out of traces', async () => {
    await client.call('createDelivery', { body: testOrder('A-2'), idempotencyKey: 'key-2' })
    const spelled = { ...testOrder('A-3').dropoff, contactPhone: '(202) 555-0177' }
    await client.call('createDelivery', { body: testOrder('A-3', { dropoff: spelled }), idempotencyKey: 'key-3' })
    const trace = JSON.stringify(traces)
    expect(trace).toContain('key-2')
    expect(trace).toContain('Bearer [redacted]')
    expect(trace).toContain('M*** R****')
    for (const secret of ['canary', 'Maya', 'Reyes', '2025550100', '555-0177']) expect(trace).not.toContain(secret)
  })

  test('gives raw answers with any status as bytes', async () => {
    const missing = await client.raw({ method: 'get', path: '/deliveries/del_none' })
    expect(missing.status).toBe(404)
    expect(new TextDecoder().decode(missing.body)).toContain('DELIVERY_NOT_FOUND')
    for (const path of ['deliveries', '//elsewhere', '/deliveries/../../x', '/%2e%2e/x']) {
      await expect(client.raw({ method: 'GET', path })).rejects.toThrow(UsageError)
    }
  })

  test('speaks to a service in this process with the same bytes', async () => {
    const seen: Request[] = []
    const embedded = createClient({
      baseUrl: 'http://embedded/delivery/v1',
      apiKey: 'k',
      transport: fetchTransport(async (request) => {
        seen.push(request)
        return Response.json({ deliveryId: 'del_1', status: 'accepted' }, { status: 201 })
      }),
    })
    await embedded.createDelivery({ body: testOrder('E-1'), idempotencyKey: 'key-e' })
    const [request] = seen
    expect(request?.url).toBe('http://embedded/delivery/v1/deliveries')
    expect(await request?.text()).toBe(JSON.stringify(testOrder('E-1')))
  })

  test('refuses a base URL that would send the key in the clear', () => {
    for (const baseUrl of ['http://api.example.com/v1', 'ftp://x', 'nonsense', 'https://user:pw@api.example.com/v1']) {
      expect(() => createClient({ baseUrl })).toThrow(UsageError)
    }
  })

  test('refuses a body that is not JSON', async () => {
    const metadata: Record<string, unknown> = { big: 4n }
    metadata.cents = metadata
    await expect(client.createDelivery({ body: testOrder('A-9', { metadata }) })).rejects.toThrow(UsageError)
  })

  test('refuses a key that no header can carry', () => {
    for (const apiKey of ['dlvk_sbx_canary\n', 'Bearer dlvk_sbx_canary', 'dlvk_sbx_\u2013'])
      expect(() => createClient({ baseUrl: server.baseUrl, apiKey })).toThrow('The API key contains spaces')
  })

  test('says what is wrong when nothing listens and when a name does not exist', async () => {
    const once = { retries: { maxRetries: 0 } }
    const closed = createClient({ baseUrl: 'http://127.0.0.1:9/delivery/v1', ...once })
    await expect(closed.getCapabilities()).rejects.toMatchObject({ reason: 'refused', kind: 'connection' })
    const nameless = createClient({ baseUrl: 'https://nowhere.invalid/delivery/v1', ...once })
    const failure = await nameless.getCapabilities().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConnectionError)
    expect(failure).toMatchObject({ reason: 'name-not-found' })
    await Promise.all([closed.close(), nameless.close()])
  })
})
