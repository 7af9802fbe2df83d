import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ListenerRecord } from '../../listener/index.js'
import { onAccount } from '../../shared/account-commands.js'
import { listenError } from '../../shared/listen-error.js'
import { refuseForeign, refuseStranger } from './access.js'
import { type Backend, readingClient } from './backend.js'
import { failureOf } from './failure.js'
import { DeliveryIndex } from './feed/delivery-index.js'
import { Feed } from './feed/feed.js'
import { listenerItem } from './feed/items.js'
import { sandboxSource } from './feed/sandbox-source.js'
import { serviceSource } from './feed/service-source.js'
import { readJsonObject } from './json-body.js'
import { answerPage, safetyHeaders } from './page.js'
import { Refused, type RouteContext } from './route.js'
import { findRoute } from './router.js'
import { routes } from './routes.js'
import { openStream } from './stream.js'

export interface InspectorOptions {
  backend: Backend
  /** Default 4040; 0 for any free port. */
  port?: number
  /** Takes a free port if this one is taken. */
  orFreePort?: boolean
  /** Called with errors that no answer accounts for. */
  onError(error: unknown): void
}

export interface Inspector {
  /** The address of the page, with the token that opens it. */
  url: string
  port: number
  /** Shows what a listener reports. */
  see(record: ListenerRecord): void
  close(): Promise<void>
}

const host = '127.0.0.1'
const defaultPort = 4_040

/** Serves the page on loopback until it is closed. Throws `UsageError` if the port cannot be used. */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const { onError } = options
  const backend: Backend = options.backend.readOnly
    ? {
        ...options.backend,
        get secrets() {
          return options.backend.secrets
        },
        client: readingClient(options.backend.client),
        control: undefined,
      }
    : options.backend
  const token = randomBytes(24).toString('base64url')
  const feed = new Feed()
  const deliveries = new DeliveryIndex()
  const { control } = backend
  const source =
    control === undefined
      ? serviceSource(backend, feed, deliveries, onError)
      : sandboxSource({ ...backend, control }, feed, deliveries, onError)
  const context: RouteContext = { backend, feed, deliveries, look: () => source.look() }
  let port = 0
  const server = createServer({ maxHeaderSize: 16_384 }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      refuse(response, error, backend.command)
      if (failureOf(error).status === 500) onError(error)
    })
  })
  server.on('clientError', (_, socket) => socket.destroy())

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(safetyHeaders)) response.setHeader(name, value)
    refuseForeign(request, port)
    const target = [request.url ?? '/', `http://${host}`] as const
    if (!URL.canParse(...target)) throw new Refused(400, 'MALFORMED_REQUEST', 'The request target is not a URL.')
    const { pathname, searchParams } = new URL(...target)
    const isApi = pathname.startsWith('/ui/api/')
    if (isApi || pathname === '/ui/stream') refuseStranger(request, token)
    if (pathname === '/ui/stream' && request.method === 'GET') return openStream(request, response, feed)
    if (isApi) return answerApi(request, response, pathname.slice('/ui/api'.length), searchParams)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new Refused(405, 'METHOD_NOT_ALLOWED', 'Pages are only read.')
    if (pathname === '/') {
      response.writeHead(302, { location: '/ui/' }).end()
      return
    }
    if (!answerPage(pathname, response)) throw new Refused(404, 'NOT_FOUND', 'Not found.')
  }

  async function answerApi(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const isPost = request.method === 'POST'
    const body = isPost ? await readJsonObject(request) : {}
    const found = findRoute(routes, request.method ?? '', path)
    if ('allowed' in found) {
      if (found.allowed.length === 0) throw new Refused(404, 'NOT_FOUND', 'This address does not exist.')
      throw new Refused(405, 'METHOD_NOT_ALLOWED', `Use ${found.allowed.join(' or ')}.`)
    }
    if (isPost && backend.readOnly)
      throw new Refused(403, 'READ_ONLY', 'This account is production, so the page is read-only.')
    const result = await found.route.handle({ ...context, parameters: found.parameters, query, body })
    if (isPost) await source.look()
    if (result instanceof Blob) {
      response.writeHead(200, { 'content-type': result.type })
      response.end(Buffer.from(await result.arrayBuffer()))
      return
    }
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify(result ?? {}))
  }

  port = await listen(server, options)
  return {
    url: `http://${host}:${port}/ui/#token=${token}`,
    port,
    see(record) {
      const item = listenerItem(record, deliveries, backend.nowMs())
      if (item !== undefined) feed.push([item])
    },
    async close() {
      source.stop()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** `command` is what commands on the page begin with: a hint recommends them for the same account. */
function refuse(response: ServerResponse, error: unknown, command: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, failure } = failureOf(error)
  if (failure.hint !== undefined) failure.hint = onAccount(failure.hint, command.replace(/^dlv ?/, ''))
  // What is left of a body that was not read must not be taken for the next request.
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', connection: 'close' })
  response.end(JSON.stringify({ error: failure }))
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
