import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  expressReceiver,
  fetchReceiver,
  newSecret,
  type ReceiverOptions,
  sampleEvent,
  signatureHeaders,
  verify,
} from '../../../src/webhooks/index.js'
import { startHttpServer } from '../../support/http-server.js'

const secret = newSecret()
const event = sampleEvent('delivery.delivered')
const body = Buffer.from(JSON.stringify(event))
const headers = {
  'content-type': 'application/json',
  ...signatureHeaders({ secrets: secret, id: event.eventId, timestampSeconds: Math.floor(Date.now() / 1000), body }),
}
const options: ReceiverOptions = { secrets: secret, onEvent: () => {} }
const request = () => new Request('http://localhost/hooks', { method: 'POST', headers, body })

/** A request as serverless-http and its peers make it of an event: read already, with headers by name only. */
function eventRequest(rest: object = {}) {
  return Object.assign(Readable.from([]), { headers, rawHeaders: [], ...rest })
}

/** Answers a request in this process, and tells the status and the body. */
async function answerOf(given: unknown, receiver = expressReceiver(options)) {
  const told = { status: 0, text: '' }
  const response = {
    writeHead: (status: number) => Object.assign(told, { status }),
    end: (text: string) => Object.assign(told, { text }),
  }
  await receiver(given as Parameters<typeof receiver>[0], response)
  return told
}

describe('expressReceiver', () => {
  it.each([
    ['rawBody, without rawHeaders', () => eventRequest({ rawBody: body })],
    ['rawBody beside a parsed body', () => eventRequest({ rawBody: new Uint8Array(body), body: event })],
    ['body as bytes', () => eventRequest({ body })],
    ['a request without rawHeaders at all', () => eventRequest({ rawBody: body, rawHeaders: undefined })],
    ['the stream', () => Object.assign(Readable.from([body]), { headers, rawHeaders: [] })],
  ])('takes the bytes of %s', async (_, made) => {
    expect(await answerOf(made())).toMatchObject({ status: 200 })
  })

  it('takes the bytes that a parser keeps beside what it has parsed', async () => {
    const receive = expressReceiver(options)
    const origin = await startHttpServer(async (given, response) => {
      const rawBody = await buffer(given)
      await receive(Object.assign(given, { rawBody, body: JSON.parse(rawBody.toString()) }), response)
    })
    const response = await fetch(`${origin}/hooks`, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
  })

  it('refuses another body, however it is kept', async () => {
    expect(await answerOf(eventRequest({ rawBody: Buffer.concat([body, body]) }))).toMatchObject({ status: 401 })
    expect(await answerOf(eventRequest({ rawBody: body, headers: {} }))).toMatchObject({ status: 400 })
  })

  it('answers 500 to a mistake of the app, and tells it once', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => log.mockRestore())
    const receiver = expressReceiver(options)
    for (let round = 0; round < 3; round++) {
      const told = await answerOf(eventRequest({ rawBody: body.toString() }), receiver)
      expect(told).toMatchObject({ status: 500, text: expect.stringContaining('without toString()') })
    }
    expect(log).toHaveBeenCalledOnce()
    const read = Object.assign(Readable.from([body]), { headers, rawHeaders: [], body: event })
    const ended = once(read, 'end')
    read.resume()
    await ended
    const onRejected = vi.fn()
    expect(await answerOf(read, expressReceiver({ ...options, onRejected }))).toMatchObject({ status: 500 })
    expect(onRejected).toHaveBeenCalledOnce()
    expect(log).toHaveBeenCalledOnce()
  })

  it.each([
    ['a Request', request()],
    ['nothing', undefined],
    ['an event', { body: '{}', isBase64Encoded: false }],
  ])('names the call when it gets %s', async (_, given) => {
    await expect(answerOf(given)).rejects.toThrow('expressReceiver was called with something else')
  })
})

describe('fetchReceiver', () => {
  const receive = fetchReceiver(options)
  const call = receive as (given: unknown) => Promise<Response>

  it.each([
    ['a request', () => request()],
    ['{ request } of SvelteKit and Astro', () => ({ request: request(), params: {}, cookies: {} })],
    ['{ req } of h3 2', () => ({ req: request(), url: new URL('http://localhost/') })],
    ['the context of Hono', () => ({ req: { raw: request() } })],
    ['bytes that Elysia has read', () => ({ request: request(), body: new Uint8Array(body).buffer })],
  ])('takes %s', async (_, made) => {
    expect((await call(made())).status).toBe(200)
  })

  it.each([
    ['nothing', undefined],
    ['an event of Lambda', { headers, body: body.toString(), isBase64Encoded: false }],
    ['a request of node:http', eventRequest({ body })],
    ['an event of h3 1', { node: { req: eventRequest() }, path: '/hooks' }],
    ['the context of Koa', { req: eventRequest(), request: { header: headers } }],
  ])('names the call to the app, and nothing to the sender, when it gets %s', async (_, given) => {
    await expect(call(given)).rejects.toThrow('fetchReceiver was called without a Request')
  })

  it('answers 500 where the body was read before', async () => {
    const told: unknown[] = []
    const read = request()
    await read.text()
    const silent = fetchReceiver({ ...options, onError: (error) => told.push(error) })
    for (const given of [read, { request: read }]) expect((await silent(given)).status).toBe(500)
    expect(told).toHaveLength(1)
  })
})

it('verify takes the whole request, and says where the headers of a platform are', () => {
  expect(verify({ secrets: secret, headers: eventRequest(), body })).toMatchObject({ ok: true })
  expect(verify({ secrets: secret, headers: request(), body })).toMatchObject({ ok: true })
  const lines = { headers: {}, rawHeaders: Object.entries(headers).flat() }
  expect(verify({ secrets: secret, headers: lines, body })).toMatchObject({ ok: true })
  expect(verify({ secrets: secret, headers: [], body })).toMatchObject({
    reason: 'missing_header',
    hint: expect.stringContaining('request.headers'),
  })
})
