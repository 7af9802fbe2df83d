import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ApiError, ConnectionError, DlvError, UsageError } from '../../contract/index.js'
import type { ListenerRecord } from '../../listener/index.js'
import { onAccount } from '../../shared/command-words.js'
import { isRecord, readJsonText } from '../../shared/json.js'
import { listenError } from '../../shared/node-errors.js'
import { isLoopbackName } from '../../shared/web-address.js'
import type { Failure } from '../wire/session.js'
import { PageAccounts } from './accounts.js'
import { type Backend, type GatherReports, readingClient } from './backend.js'
import { DeliveryIndex } from './feed/delivery-index.js'
import { Feed } from './feed/feed.js'
import { ServiceTimes } from './feed/service-times.js'
import { type Source, sandboxSource, serviceSource } from './feed/sources.js'
import { safetyHeaders, servePage } from './page.js'
import { Refused, type RouteContext } from './route.js'
import { routes } from './routes.js'
import { openStream } from './stream.js'

export interface InspectorOptions {
  /** One for each account. */
  backends: readonly Backend[]
  /** Whether everything has the name of its account, even if it is only one. Default: if there are several. */
  areSeveral?: boolean
  /** The accounts that could not be opened, with the reason. */
  unopened?: readonly { profile: string; message: string }[]
  /** Computes the report on several accounts together. */
  reports?: GatherReports
  /** Default 4040; 0 for any free port. */
  port?: number
  /** Uses a free port if this one is in use. */
  orFreePort?: boolean
  /** Called with errors that no answer accounts for. */
  onError(error: unknown): void
}

export interface Inspector {
  /** The address of the page, with the token that opens it. */
  url: string
  port: number
  /** Shows what a listener reports; of several accounts with the profile of the one that it is about. */
  see(record: ListenerRecord & { profile?: string }): void
  close(): Promise<void>
}

const host = '127.0.0.1'
const defaultPort = 4_040
/** The most that the page sends at once, in bytes: an event body of a megabyte that was edited fits. */
const maxBytes = 4_194_304

const sizeLimit = bodyLimit({
  maxSize: maxBytes,
  onError() {
    throw new Refused(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`)
  },
})

/** Serves the page on loopback until it is closed. Throws `UsageError` if the port cannot be used. */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const { onError } = options
  const token = randomBytes(24).toString('base64url')
  const feed = new Feed()
  const { accounts, stop } = openAccounts(feed, options)
  let port = 0
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(async (context, next) => {
    await next()
    for (const [name, value] of Object.entries(safetyHeaders)) context.res.headers.set(name, value)
  })
  app.use(async ({ env }, next) => {
    refuseForeign(env.incoming, port)
    await next()
  })
  for (const path of ['/ui/api/*', '/ui/stream'])
    app.use(path, async ({ env }, next) => {
      refuseStranger(env.incoming, token)
      await next()
    })
  app.get('/ui/stream', ({ env }) => {
    openStream(env.incoming, env.outgoing, feed)
    return RESPONSE_ALREADY_SENT
  })
  for (const route of routes) {
    const { method, path } = route
    app.on(method, `/ui/api${path}`, sizeLimit, async ({ req, json, body: answer }) => {
      const body = method === 'POST' ? await readJsonObject(req.raw) : {}
      const query = new URL(req.url).searchParams
      const result = await accounts.answer(route, { parameters: req.param(), query, body })
      if (result instanceof Blob) return answer(await result.arrayBuffer(), 200, { 'content-type': result.type })
      return json(result ?? {})
    })
  }
  for (const { path } of routes)
    app.all(`/ui/api${path}`, ({ req }) => {
      throw new Refused(405, 'METHOD_NOT_ALLOWED', `${req.method} is not for this address.`)
    })
  app.all('/ui/api/*', () => {
    throw new Refused(404, 'NOT_FOUND', 'This address does not exist.')
  })
  servePage(app, accounts.areSeveral)
  app.onError((error, { json, req }) => {
    const { status, failure } = failureOf(error)
    if (status === 500) onError(error)
    // A hint recommends commands for the account of this page.
    const command = accounts.commandFor(req.query('account'))
    if (failure.hint !== undefined) failure.hint = onAccount(failure.hint, command.replace(/^dlv ?/, ''))
    // What is left of a body that was not read must not be taken for the next request.
    return json({ error: failure }, status as ContentfulStatusCode, { connection: 'close' })
  })
  const server = createServer(
    { maxHeaderSize: 16_384 },
    getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  )
  server.on('clientError', (_, socket) => socket.destroy())

  port = await listen(server, options)
  return {
    url: `http://${host}:${port}/ui/#token=${token}`,
    port,
    see(record) {
      accounts.see(record, feed)
    },
    async close() {
      stop()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Each account with its part of the feed, and what follows its service. */
function openAccounts(feed: Feed, { backends, areSeveral, unopened = [], reports, onError }: InspectorOptions) {
  const isNamed = areSeveral ?? backends.length > 1
  const sources: Source[] = []
  const services = new Map<string, ServiceTimes>()
  const all = backends.map((given): RouteContext => {
    const backend = given.readOnly ? readingBackend(given) : given
    const { control, service, profile } = backend
    const account = isNamed ? profile : undefined
    const deliveries = new DeliveryIndex(backend.placesOf)
    const own = feed.of(account)
    const times = services.get(service) ?? new ServiceTimes()
    const sharing = { accounts: backends.length, isFirst: !services.has(service), times }
    services.set(service, times)
    const source =
      control === undefined
        ? serviceSource(backend, own, deliveries, onError)
        : sandboxSource({ ...backend, control }, own, deliveries, onError, sharing)
    sources.push(source)
    return { account, backend, feed: own, deliveries, reports, look: () => source.look() }
  })
  const since = new Date(backends[0]?.nowMs() ?? Date.now()).toISOString()
  for (const { profile, message } of unopened) feed.of(profile).noteReading({ since, message })
  const stop = () => {
    for (const source of sources) source.stop()
  }
  return { accounts: new PageAccounts(all), stop }
}

/** A backend that refuses every change. */
function readingBackend(backend: Backend): Backend {
  return {
    ...backend,
    get secrets() {
      return backend.secrets
    },
    client: readingClient(backend.client),
    control: undefined,
  }
}

async function listen(server: ReturnType<typeof createServer>, options: InspectorOptions): Promise<number> {
  const { port = defaultPort, orFreePort = false } = options
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (isTaken && orFreePort && port !== 0) return listen(server, { ...options, port: 0 })
    throw listenError(host, port, error)
  }
  return (server.address() as AddressInfo).port
}

/** The JSON object of a request. Throws the 4xx for anything else. */
async function readJsonObject(request: Request): Promise<Record<string, unknown>> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw new Refused(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.')
  const reading = readJsonText(new Uint8Array(await request.arrayBuffer()), 'input')
  if ('fault' in reading) throw new Refused(400, 'VALIDATION_ERROR', `The body ${reading.message}.`)
  if (!isRecord(reading.value)) throw new Refused(400, 'VALIDATION_ERROR', 'The body must be a JSON object.')
  return reading.value
}

/**
 * Refuses requests that do not come from a page of this server: another host name (DNS rebinding), or another origin.
 * Applies to every request, so that other pages cannot even find out that the server runs.
 */
function refuseForeign({ headers }: IncomingMessage, port: number): void {
  const host = hostOf(headers.host)
  if (host === undefined || !isLoopbackName(host.name) || host.port !== port)
    throw new Refused(403, 'FOREIGN_HOST', 'This page answers only to a loopback name.')
  const { origin } = headers
  if (origin === undefined) return
  const from = URL.canParse(origin) ? new URL(origin) : undefined
  const isOwn = from?.protocol === 'http:' && isLoopbackName(from.hostname) && from.host === headers.host?.toLowerCase()
  if (!isOwn) throw new Refused(403, 'FOREIGN_ORIGIN', 'Only the page of this server may ask.')
}

/** Refuses a request without this server's token. */
function refuseStranger({ headers }: IncomingMessage, token: string): void {
  const [scheme, given = ''] = (headers.authorization ?? '').split(' ')
  const isRight = scheme === 'Bearer' && given.length === token.length && sameText(given, token)
  if (!isRight)
    throw new Refused(401, 'UNAUTHORIZED', 'This address has no valid token.', 'Open the URL that dlv ui printed.')
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function hostOf(header: string | undefined): { name: string; port: number } | undefined {
  const url = `http://${header ?? ''}`
  if (header === undefined || !URL.canParse(url)) return undefined
  const { hostname, port } = new URL(url)
  return { name: hostname, port: port === '' ? 80 : Number(port) }
}

/** The status and the words for an error of a route. */
function failureOf(error: unknown): { status: number; failure: Failure } {
  if (error instanceof Refused) {
    const { status, code, message, hint } = error
    return { status, failure: { code, message, hint } }
  }
  if (error instanceof ApiError) {
    const { status, code, message, requestId, fieldErrors } = error
    return {
      status: status >= 400 && status < 600 ? status : 502,
      failure: {
        code,
        message,
        requestId,
        fieldErrors:
          fieldErrors.length === 0
            ? undefined
            : fieldErrors.map(({ field, message: text }) => ({ field, message: text })),
      },
    }
  }
  if (error instanceof UsageError) {
    const { message, hint } = error
    return { status: 422, failure: { code: 'REFUSED', message, hint } }
  }
  if (error instanceof ConnectionError) {
    const { status, message } = error
    return status === 404
      ? { status, failure: { code: 'NOT_FOUND', message } }
      : { status: 502, failure: { code: 'NO_ANSWER', message } }
  }
  if (error instanceof DlvError) return { status: 502, failure: { code: error.kind, message: error.message } }
  return {
    status: 500,
    failure: { code: 'INTERNAL_ERROR', message: error instanceof Error ? error.message : 'Failed.' },
  }
}
