import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer, json } from 'node:stream/consumers'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  expressReceiver,
  fastifyReceiver,
  fetchReceiver,
  honoReceiver,
  newSecret,
  sampleEvent,
  sendEvent,
  signatureHeaders,
} from '../../../src/webhooks/index.js'
import { startHttpServer } from '../../support/http-server.js'
import { startPluginHost } from '../../support/webhooks/plugin-host.js'
import { describeReceivers } from '../../support/webhooks/receiver-tests.js'

const secret = newSecret()

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** An app of plain `node:http`: a handler at `/hooks`, and a route that parses JSON. */
function startPlainApp(hooks: Handler): Promise<string> {
  return startHttpServer(async (request, response) => {
    if (request.url === '/hooks') return hooks(request, response)
    response.end(JSON.stringify(await json(request)))
  })
}

function startFetchApp(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  return new Promise((resolve) => {
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(`http://127.0.0.1:${port}`))
    onTestFinished(() => void server.close())
  })
}

describeReceivers({
  'node:http': (options) => startPlainApp(expressReceiver(options)),
  'node:http, behind a parser that keeps the bytes'(options) {
    const hooks = expressReceiver(options)
    return startPlainApp(async (request, response) =>
      hooks(Object.assign(request, { body: await buffer(request) }), response),
    )
  },
  'a host of plugins': (options) => startPluginHost(fastifyReceiver({ ...options, path: '/hooks' })),
  hono(options) {
    const app = new Hono()
    app.post('/hooks', honoReceiver(options))
    app.post('/echo', async (context) => context.json(await context.req.json()))
    return startFetchApp(app.fetch)
  },
  'a fetch handler'(options) {
    const routes: Record<string, (request: Request) => Promise<Response>> = {
      '/hooks': fetchReceiver(options),
      '/echo': async (request) => Response.json(await request.json()),
    }
    return startFetchApp(
      async (request) =>
        (await routes[new URL(request.url).pathname]?.(request)) ?? new Response(null, { status: 404 }),
    )
  },
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
    const messages: string[] = []
    const hooks = expressReceiver({
      secrets: secret,
      onEvent: () => {},
      onRejected: ({ message }) => messages.push(message),
    })
    const origin = await startPlainApp(async (request, response) =>
      hooks(Object.assign(request, { body: await json(request) }), response),
    )
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
