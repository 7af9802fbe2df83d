import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { testOrder } from '../support/sandbox/orders.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox()
const { caller } = sandbox

const json = { 'Content-Type': 'application/json', 'Idempotency-Key': 'bad' }
const order = () => JSON.stringify(testOrder())

describe('a request that cannot be read', () => {
  const bodies: [string, string | Uint8Array<ArrayBuffer>][] = [
    ['an open brace', '{'],
    ['nothing', ''],
    ['a trailing comma', '{"a":1,}'],
    ['a bare word', 'NaN'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '7'],
    ['broken UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', new Uint8Array(Buffer.from('{}', 'utf16le'))],
    ['a deep nest', `{"metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['ten megabytes', `{"metadata":{"a":"${'x'.repeat(10_000_000)}"}}`],
  ]

  test.each(bodies)('with a body of %s is a 400 of the contract', async (_, body) => {
    const reply = await caller.post('/deliveries', body, { headers: json })
    expect({ status: reply.status, code: reply.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(reply.body).toMatchObject({ error: { details: { fieldErrors: expect.any(Array) } } })
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/jsonx',
    '',
  ])('of content type "%s" is a 400', async (type) => {
    const reply = await caller.post('/deliveries', order(), { headers: { ...json, 'Content-Type': type } })
    expect(reply.body).toMatchObject({
      error: { code: 'VALIDATION_ERROR', details: { fieldErrors: [{ field: 'header.Content-Type' }] } },
    })
  })

  test('with a content encoding is a 400', async () => {
    const reply = await caller.post('/deliveries', order(), { headers: { ...json, 'Content-Encoding': 'gzip' } })
    expect(reply.body).toMatchObject({ error: { details: { fieldErrors: [{ field: 'header.Content-Encoding' }] } } })
  })

  test.each([
    [{ tipAmountCents: 'abc' }, 'tipAmountCents', 'must be a number'],
    [{ tipAmountCents: 1.5 }, 'tipAmountCents', 'must be an integer'],
    [{ dropoff: 3 }, 'dropoff', 'must be an object'],
    [{ dropoff: { address: [] } }, 'dropoff.address', 'must be a string or an object'],
    [{ dropoff: { address: { city: 'Fayetteville' } } }, 'dropoff.address.line1', 'is required'],
  ])('whose body holds %j names %s, which %s', async (part, field, message) => {
    const reply = await caller.post('/deliveries', JSON.stringify({ ...testOrder(), ...part }), { headers: json })
    const { fieldErrors } = (reply.body as { error: { details: { fieldErrors: object[] } } }).error.details
    expect(fieldErrors).toContainEqual(expect.objectContaining({ field, message }))
  })

  test('that is no HTTP is answered in the error shape', async () => {
    const socket = connect(Number(new URL(sandbox.running.baseUrl).port), '127.0.0.1')
    socket.end('this is not HTTP\r\n\r\n')
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(socket, 'close')
    const answer = Buffer.concat(chunks).toString()
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
    for (const name of ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'X-RateLimit-Reset'])
      expect(answer.toLowerCase()).toContain(`\r\n${name.toLowerCase()}: `)
  })
})

describe('a path or a method that is not there', () => {
  test.each([
    '/nothing',
    '/deliveries/a/b/c',
    '/deliveries/',
    '//',
    '/../_sandbox/ready',
    '/%2e%2e/_sandbox/ready',
  ])('%s is 404', async (path) => {
    const reply = await caller.get(path)
    expect([reply.status, reply.code]).toEqual([404, 'NOT_FOUND'])
  })

  test.each([
    ['PUT', '/deliveries', 'GET, POST, HEAD'],
    ['DELETE', '/deliveries/del_1', 'GET, PATCH, HEAD'],
    ['GET', '/quotes', 'POST'],
    ['OPTIONS', '/health', 'GET, HEAD'],
  ])('%s %s is 405 and says what is allowed', async (method, path, allow) => {
    const reply = await caller.call(method, path)
    expect([reply.status, reply.code, reply.headers.get('Allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', allow])
  })

  test('broken escapes name nothing', async () => {
    expect((await caller.get('/deliveries/%E0%A4%A')).code).toBe('DELIVERY_NOT_FOUND')
    expect((await caller.get('/installations/%00')).code).toBe('INSTALLATION_NOT_FOUND')
  })

  test('HEAD is a GET without its body', async () => {
    const response = await fetch(`${sandbox.running.baseUrl}/capabilities`, {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${sandbox.running.apiKey}` },
    })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('what a body smuggles in', () => {
  test.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__'])('%s does no harm', async (name) => {
    const text = order().replace('{', `{"metadata":{"${name}":{"polluted":true}},"${name}":{"polluted":true},`)
    const reply = await caller.create(text, { headers: { 'Content-Type': 'application/json' } })
    expect(reply.status, reply.text).toBe(201)
    const patched = await caller.patch(
      `/deliveries/${reply.body.deliveryId}`,
      text.replace(/"clientOrderReference":"[^"]*",/, ''),
      {
        headers: { 'Content-Type': 'application/json' },
      },
    )
    expect(patched.status, patched.text).toBe(200)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('of two members with one name the last one counts', async () => {
    const reply = await caller.create(order().replace('{', '{"tipAmountCents":1,"tipAmountCents":250,'), {
      headers: { 'Content-Type': 'application/json' },
    })
    expect(reply.body).toMatchObject({ pricing: { tipAmountCents: 250 } })
  })

  test('half of a surrogate pair in a reference, which nobody could look up, is a 400', async () => {
    const reply = await caller.create(testOrder({ clientOrderReference: 'HALF-\ud800' }))
    expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(reply.body).toMatchObject({ error: { details: { fieldErrors: [{ field: 'clientOrderReference' }] } } })
  })

  test('half of a surrogate pair elsewhere and a NUL come back as they were', async () => {
    const contactName = 'a\u0000b\ud800'
    const { body } = await caller.create(testOrder({ dropoff: { contactName } }))
    expect((await caller.get(`/deliveries/${body.deliveryId}`)).body).toMatchObject({ dropoff: { contactName } })
  })
})

describe('a query that does not fit', () => {
  test.each([
    '/deliveries?from=yesterday',
    '/deliveries?from=2026-01-01',
    '/deliveries?from=2026-01-01T00:00:00Z&from=2026-01-02T00:00:00Z',
    '/deliveries?from=2026-01-01T00:00:00Z&status=lost',
    '/deliveries?from=2026-01-01T00:00:00Z&limit=101',
    '/deliveries?from=2026-01-01T00:00:00Z&limit=1.5',
    '/deliveries?from=2026-01-01T00:00:00Z&limit=1e2',
    `/deliveries?clientOrderReference=${'r'.repeat(129)}`,
    '/installations?state=nc',
    '/installations?branch=pirates',
    '/installations?acceptingDeliveries=1',
    '/drivers?onDuty=True',
    '/events?delivered=yes',
    '/events?since=2020-01-01T00:00:00Z',
  ])('%s is a 400 that names the field', async (path) => {
    const reply = await caller.get(path)
    expect([reply.status, reply.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(reply.body).toMatchObject({
      error: { details: { fieldErrors: [{ field: expect.stringMatching(/^query\./) }] } },
    })
  })
})
