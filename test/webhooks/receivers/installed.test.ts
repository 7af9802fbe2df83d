import type { IncomingMessage, RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import {
  expressReceiver,
  fastifyReceiver,
  newSecret,
  sampleEvent,
  sendEvent,
  testReceiver,
} from '../../../src/webhooks/index.js'
import { startHttpServer } from '../../support/http-server.js'
import { describeReceivers } from '../../support/webhooks/receiver-tests.js'

/** Where `.ci/frameworks` has installed Express and Fastify. */
const folder = process.env.DLV_FRAMEWORKS ?? ''
const require = createRequire(join(folder, 'package.json'))

type Handler = (request: IncomingMessage & { body?: unknown }, response: ExpressResponse) => unknown

interface ExpressResponse {
  json(value: unknown): void
  writeHead(status: number, headers: Record<string, string | number>): unknown
  end(body: string): unknown
}

type ExpressApp = RequestListener & { use(handler: Handler): void; post(path: string, ...handlers: Handler[]): void }

interface Express {
  (): ExpressApp
  json(options?: { verify(request: object, response: object, bytes: Buffer): void }): Handler
  raw(options: { type: string; limit: string }): Handler
}

interface FastifyApp {
  register(plugin: ReturnType<typeof fastifyReceiver>): unknown
  post(path: string, handler: (request: { body: unknown }) => Promise<unknown>): unknown
  listen(options: { port: number; host: string }): Promise<string>
  close(): Promise<void>
}

const express = require('express') as Express
const fastify = require('fastify') as () => FastifyApp
const secret = newSecret()
const body = JSON.stringify(sampleEvent('delivery.delivered'))
const echo: Handler = (request, response) => response.json(request.body)

function startFastify(app: FastifyApp): Promise<string> {
  onTestFinished(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

describeReceivers({
  express(options) {
    const app = express()
    app.post('/hooks', expressReceiver(options))
    app.use(express.json())
    app.post('/echo', echo)
    return startHttpServer(app)
  },
  'express after express.raw()'(options) {
    const app = express()
    app.post('/hooks', express.raw({ type: '*/*', limit: '2mb' }), expressReceiver(options))
    app.post('/echo', express.json(), echo)
    return startHttpServer(app)
  },
  fastify(options) {
    const app = fastify()
    app.register(fastifyReceiver({ ...options, path: '/hooks' }))
    app.post('/echo', async ({ body }) => body)
    return startFastify(app)
  },
})

it('expressReceiver takes what express.json({ verify }) keeps', async () => {
  const app = express()
  app.use(express.json({ verify: (request, _, rawBody) => Object.assign(request, { rawBody }) }))
  app.post('/hooks', expressReceiver({ secrets: secret, onEvent: () => {} }))
  const url = `${await startHttpServer(app)}/hooks`
  expect(await sendEvent({ url, secrets: secret, body })).toMatchObject({ status: 200 })
})

it('expressReceiver behind express.json() responds 500 and names the fix', async () => {
  const messages: string[] = []
  const app = express()
  app.use(express.json())
  app.post(
    '/hooks',
    expressReceiver({ secrets: secret, onEvent: () => {}, onRejected: ({ message }) => messages.push(message) }),
  )
  const url = `${await startHttpServer(app)}/hooks`
  expect(await sendEvent({ url, secrets: secret, body })).toMatchObject({ status: 500 })
  expect(messages).toEqual([expect.stringContaining('before express.json()')])
})

it.each([
  ['express.ts', (app: object) => startHttpServer(app as ExpressApp)],
  ['fastify.ts', (app: object) => startFastify(app as FastifyApp)],
])('the example %s passes every conformance case, with nothing unobserved', async (file, start) => {
  process.env.WEBHOOK_SECRET = secret
  const { app } = (await import(pathToFileURL(join(folder, 'receivers', file)).href)) as { app: object }
  const report = await testReceiver({ url: `${await start(app)}/hooks`, secret })
  expect(report.brokenRules).toEqual([])
  expect(report.cases.filter(({ status }) => status !== 'passed')).toEqual([])
})
