import { serve } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ContractError, SignatureError, WebhookEvent } from '../../../src/contract/index.js'
import {
  expressReceiver,
  fastifyReceiver,
  fetchReceiver,
  honoReceiver,
  isDeliveryEvent,
  newSecret,
  type ReceiverOptions,
  sampleEvent,
  sendEvent,
  signatureHeaders,
  testReceiver,
} from '../../../src/webhooks/index.js'
import { startHttpServer } from '../../support/http-server.js'

const secret = newSecret()

/** Starts the framework with its receiver at `/hooks`, among other routes that parse JSON; its origin. */
type Framework = (options: ReceiverOptions) => Promise<string>

const frameworks: Record<string, Framework> = {
  async express(options) {
    const app = express()
    app.post('/hooks', expressReceiver(options))
    app.use(express.json())
    app.post('/echo', (request, response) => void response.json(request.body))
    return startHttpServer(app)
  },
  async 'express after express.raw()'(options) {
    const app = express()
    app.post('/hooks', express.raw({ type: '*/*', limit: '2mb' }), expressReceiver(options))
    app.post('/echo', express.json(), (request, response) => void response.json(request.body))
    return startHttpServer(app)
  },
  async fastify(options) {
    const app = fastify()
    app.register(fastifyReceiver({ ...options, path: '/hooks' }))
    app.post('/echo', async (request) => request.body)
    onTestFinished(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
  },
  async hono(options) {
    const app = new Hono()
    app.post('/hooks', honoReceiver(options))
    app.post('/echo', async (context) => context.json(await context.req.json()))
    return new Promise((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        resolve(`http://127.0.0.1:${port}`),
      )
      onTestFinished(() => void server.close())
    })
  },
  async 'a fetch handler'(options) {
    const routes: Record<string, (request: Request) => Promise<Response>> = {
      '/hooks': fetchReceiver(options),
      '/echo': async (request) => Response.json(await request.json()),
    }
    const fetch = async (request: Request) =>
      (await routes[new URL(request.url).pathname]?.(request)) ?? new Response(null, { status: 404 })
    return new Promise((resolve) => {
      const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(`http://127.0.0.1:${port}`))
      onTestFinished(() => void server.close())
    })
  },
}

describe.each(Object.entries(frameworks))('the receiver in %s', (_, start) => {
  it('passes every conformance case', async () => {
    const newest = new Map<string, string>()
    const origin = await start({
      secrets: [newSecret(), secret],
      onEvent(event) {
        const order = (isDeliveryEvent(event) && event.delivery.clientOrderReference) || ''
        if ((newest.get(order) ?? '') > event.occurredAt) return 'outdated'
        newest.set(order, event.occurredAt)
        return undefined
      },
    })
    const report = await testReceiver({ url: `${origin}/hooks`, secret, concurrency: 8 })
    expect(report.cases.filter(({ status }) => status !== 'passed')).toEqual([])
  })

  it('hands over the event once, answers 500 where the handler throws, and takes it again', async () => {
    const events: WebhookEvent[] = []
    const errors: unknown[] = []
    const origin = await start({
      secrets: secret,
      onEvent(event) {
        events.push(event)
        if (events.length === 1) throw new Error('the database is away')
      },
      onError: (...error) => errors.push(error),
    })
    const event = sampleEvent('delivery.delivered')
    const send = async () => {
      const sent = await sendEvent({ url: `${origin}/hooks`, secrets: [secret], body: JSON.stringify(event) })
      return sent.answered ? [sent.status, sent.headers['dlv-outcome']] : []
    }
    expect([await send(), await send(), await send()]).toEqual([
      [500, undefined],
      [200, 'processed'],
      [200, 'duplicate'],
    ])
    expect(events).toEqual([event, event])
    expect(errors).toEqual([[new Error('the database is away'), event.eventId]])
  })

  it('acknowledges a signed webhook that is no event, and tells onError what is wrong with which', async () => {
    const told: unknown[] = []
    const types: string[] = []
    const origin = await start({
      secrets: secret,
      onEvent: ({ eventType }) => void types.push(eventType),
      onError: (error, id) => told.push([id, ...(error as ContractError).issues]),
    })
    const { delivery: _, ...bare } = sampleEvent('delivery.delivered', { eventId: 'evt_1' })
    const bodies = [
      [],
      { foo: 1 },
      { ...bare, occurredAt: undefined },
      { ...bare, occurredAt: 1_772_463_600, eventType: null },
      bare,
      { ...bare, delivery: 'del_1' },
      { ...bare, eventType: 'driver.duty_changed' },
      { ...bare, eventType: 'delivery.teleported', future: true },
    ]
    for (const body of bodies)
      expect(
        await sendEvent({ url: `${origin}/hooks`, secrets: secret, body: JSON.stringify(body), id: 'evt_1' }),
      ).toMatchObject({ status: 200, headers: { 'dlv-outcome': body === bodies.at(-1) ? 'processed' : 'ignored' } })
    expect(told).toEqual([
      ['evt_1', 'the body is an array'],
      ['evt_1', 'eventId is missing', 'eventType is missing', 'occurredAt is missing'],
      ['evt_1', 'occurredAt is missing'],
      ['evt_1', 'eventType is null', 'occurredAt is a number'],
      ['evt_1', 'delivery is missing'],
      ['evt_1', 'delivery is a string'],
      ['evt_1', 'driver is missing'],
    ])
    expect(types).toEqual(['delivery.teleported'])
  })

  it('tells why it refused, and leaves other routes their JSON', async () => {
    const refusals: (string | undefined)[][] = []
    const onRejected = ({ reason, hint }: SignatureError) => refusals.push([reason, hint])
    const origin = await start({ secrets: secret, onEvent: () => {}, onRejected })
    await sendEvent({ url: `${origin}/hooks`, secrets: [newSecret()], body: '{}' })
    await sendEvent({ url: `${origin}/hooks`, secrets: [secret], body: 'no JSON' })
    expect(refusals).toEqual([
      ['no_matching_signature', expect.stringContaining('explainFailure')],
      ['not_json', undefined],
    ])
    const answer = await fetch(`${origin}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a": 1}',
    })
    expect(await answer.json()).toEqual({ a: 1 })
  })
})

it('prints what onEvent threw, with the id of the event, where nobody listens', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => print.mockRestore())
  const failure = new Error('the database is away')
  const onEvent = () => Promise.reject(failure)
  const url = await startHttpServer(expressReceiver({ secrets: secret, onEvent }))
  const body = JSON.stringify(sampleEvent('delivery.accepted', { eventId: 'evt_1' }))
  expect(await sendEvent({ url, secrets: secret, body })).toMatchObject({ status: 500 })
  expect(print.mock.calls).toEqual([['dlv-cli: webhook evt_1:', failure]])
})

it('answers, and tells onError, whichever callback fails', async () => {
  const errors: string[] = []
  const fail = (what: string) => {
    throw new Error(what)
  }
  const origin = await startHttpServer(
    expressReceiver({
      secrets: secret,
      onEvent: () => {},
      seen: { has: () => fail('no database'), add: () => {} },
      onRejected: async () => fail('no log'),
      onError(error) {
        errors.push((error as Error).message)
        fail('no log of errors')
      },
    }),
  )
  const body = JSON.stringify(sampleEvent('delivery.accepted'))
  expect(await sendEvent({ url: origin, secrets: [secret], body })).toMatchObject({ status: 500 })
  expect(await sendEvent({ url: origin, secrets: [newSecret()], body })).toMatchObject({ status: 401 })
  expect(errors).toEqual(['no database', 'no log'])
})

describe('a receiver behind a parser', () => {
  it('responds 500 and names the fix, rather than verify a body that was serialized again', async () => {
    const app = express()
    const messages: string[] = []
    app.use(express.json())
    app.post(
      '/hooks',
      expressReceiver({ secrets: secret, onEvent: () => {}, onRejected: ({ message }) => messages.push(message) }),
    )
    const origin = await startHttpServer(app)
    const sent = await sendEvent({
      url: `${origin}/hooks`,
      secrets: [secret],
      body: JSON.stringify(sampleEvent('delivery.failed')),
    })
    expect(sent).toMatchObject({ status: 500 })
    expect(messages).toEqual([expect.stringContaining('before express.json()')])
  })

  it('hands over one event where the same came twice at once', async () => {
    const held = Promise.withResolvers<void>()
    let handled = 0
    const receive = fetchReceiver({
      secrets: secret,
      async onEvent() {
        handled++
        await held.promise
      },
    })
    const event = sampleEvent('delivery.accepted')
    const body = JSON.stringify(event)
    const timestampSeconds = Math.floor(Date.now() / 1000)
    const headers = { ...signatureHeaders({ secrets: [secret], id: event.eventId, timestampSeconds, body }) }
    const both = [1, 2].map(() => receive(new Request('http://localhost/hooks', { method: 'POST', headers, body })))
    // Long enough for the second to get as far as it can.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    held.resolve()
    const outcomes = (await Promise.all(both)).map((answer) => answer.headers.get('dlv-outcome'))
    expect(outcomes.toSorted()).toEqual(['duplicate', 'processed'])
    expect(handled).toBe(1)
  })
})
