import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server as NetServer, Socket } from 'node:net'
import { UsageError } from '../../contract/index.js'
import { listenError } from '../../shared/node-errors.js'
import { sleep } from '../../shared/sleep.js'
import type { ListenerLimits } from '../limits.js'
import type { RejectionReport } from './response.js'

/** A certificate and its key, both as PEM. */
export interface CertificatePair {
  /** The certificate, with any intermediate ones after it. */
  cert: string
  /** Its private key, without a passphrase. */
  key: string
}

/** An HTTP server on its port, bounded as the limits say. */
export interface ListenerServer {
  port: number
  /** Takes no more connections, lets requests under way end, and cuts off what is left after `drainMs`. */
  close(drainMs: number): Promise<void>
}

interface Address {
  host: string
  port: number
}

interface ServerOptions {
  tls: CertificatePair | undefined
  limits: ListenerLimits
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Called with rejected connections and requests. */
  report(rejection: RejectionReport): void
}

/** How long a connection stays open after an error, so that its sender receives the response. */
const lingerMs = 1_000

/** @throws UsageError if the port is not available, or the certificate cannot be read */
export async function listenerServer(address: Address, options: ServerOptions): Promise<ListenerServer> {
  const { server, connections } = boundedServer(options)
  await listen(server, address)
  return {
    port: (server.address() as AddressInfo).port,
    close: (drainMs) => close(server, connections, drainMs),
  }
}

function boundedServer(options: ServerOptions): { server: Server; connections: OpenConnections } {
  const { limits } = options
  const settings = {
    maxHeaderSize: limits.headerBytes,
    requestTimeout: limits.requestTimeMs,
    headersTimeout: limits.requestTimeMs,
    handshakeTimeout: limits.requestTimeMs,
    connectionsCheckingInterval: Math.min(1_000, limits.requestTimeMs),
    keepAliveTimeout: 65_000,
    noDelay: true,
    // HTTP/1.1 without Host is how some servers in front check a port.
    requireHostHeader: false,
  }
  const server = options.tls === undefined ? createServer(settings) : createSecure(settings, options.tls)
  const connections = openConnections(server, limits.connections, () =>
    options.report({
      status: 503,
      reason: 'too_many_connections',
      message: `${limits.connections} connections were open; the one silent for longest was closed`,
    }),
  )
  server.on('request', (request, response) => {
    connections.during(request, response)
    options.handle(request, response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const rejection = unreadable(error)
    if (rejection === undefined || !(socket as Socket).writable) {
      socket.destroy()
      return
    }
    socket.end(`HTTP/1.1 ${rejection.status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    // Its sender may never close its own side.
    setTimeout(() => socket.destroy(), lingerMs).unref()
    options.report(rejection)
  })
  return { server, connections }
}

function createSecure(settings: object, tls: CertificatePair): Server {
  try {
    return createSecureServer({ ...settings, ...tls })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UsageError(`the TLS certificate or its key cannot be used: ${why}`, {
      hint: 'Both are wanted as PEM, and must belong together.',
      cause: error,
    })
  }
}

/** A request that Node's parser gave up on; nothing if the connection just ended. */
function unreadable(error: NodeJS.ErrnoException): RejectionReport | undefined {
  const refused = (status: number, reason: string, message: string): RejectionReport => ({ status, reason, message })
  const spoken = otherProtocol(error)
  if (spoken !== undefined) return refused(400, 'not_http', spoken)
  if (error.code === 'HPE_HEADER_OVERFLOW') return refused(431, 'headers_too_large', 'the headers are too large')
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return refused(408, 'too_slow', 'the request did not arrive in time')
  if (error.code?.startsWith('HPE_') === true) return refused(400, 'not_http', 'the request is not well-formed HTTP')
  return undefined
}

/** What was spoken instead of HTTP, by its first bytes or by what TLS makes of them. */
function otherProtocol({ code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }): string | undefined {
  if (code === 'ERR_SSL_HTTP_REQUEST') return 'the request came without TLS, which this port expects'
  const begins = rawPacket?.toString('latin1', 0, 16) ?? ''
  if (begins.startsWith('PROXY ') || begins.startsWith('\r\n\r\n\0\r\nQUIT\n'))
    return 'the server in front sends the PROXY protocol, which is not taken: leave out send-proxy (HAProxy) or proxy_protocol (nginx)'
  if (begins.startsWith('PRI * HTTP/2')) return 'the server in front speaks HTTP/2 without TLS: let it use HTTP/1.1'
  if (begins.startsWith('\x16\x03')) return 'the sender speaks TLS, and this port has no certificate: let it use http'
  return undefined
}

/** @throws UsageError if the port is not available */
function listen(server: NetServer, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(host, port, error)))
    server.listen(port, host, resolve)
  })
}

async function close(server: Server, connections: OpenConnections, drainMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const cutOff = setTimeout(() => server.closeAllConnections(), drainMs)
  // Senders keep their connections; each is let go as soon as its request has been answered.
  while (connections.count() > 0) {
    connections.closeResting()
    await sleep(20)
  }
  clearTimeout(cutOff)
  await closed
}

/** The open connections of a server, those in the middle of a TLS handshake included. */
interface OpenConnections {
  /** Marks a connection as busy until its response has been sent. */
  during(request: IncomingMessage, response: ServerResponse): void
  /** Closes the connections that carry no request at the moment. */
  closeResting(): void
  count(): number
}

/**
 * Bounds the connections of a server. At the limit a new connection takes the place of the one that has been silent for
 * longest, so that nobody keeps others out by opening many and saying nothing.
 *
 * @param onEvicted called with each connection that was closed for another
 */
function openConnections(server: Server, limit: number, onEvicted: () => void): OpenConnections {
  /** By the peer's address: of a TLS connection there are two sockets. */
  const open = new Map<string, Connection>()
  const connections = new WeakMap<Socket, Connection>()
  let requests = 0

  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket)
    if (open.size >= limit) evict(socket)
    if (socket.destroyed) return
    const connection: Connection = { socket, response: undefined, lastRequest: requests }
    connections.set(socket, connection)
    open.set(key, connection)
    socket.once('close', () => {
      if (open.get(key) === connection) open.delete(key)
    })
  })
  server.on('secureConnection', (socket: Socket) => {
    const connection = open.get(keyOf(socket))
    if (connection !== undefined) connections.set(socket, connection)
  })

  function evict(newest: Socket) {
    let silent: [key: string, connection: Connection] | undefined
    for (const one of open)
      if (!isBusy(one[1]) && one[1].lastRequest < (silent?.[1].lastRequest ?? Number.POSITIVE_INFINITY)) silent = one
    if (silent !== undefined) open.delete(silent[0])
    const evicted = silent?.[1].socket ?? newest
    evicted.destroy()
    onEvicted()
  }

  return {
    during({ socket }, response) {
      const connection = connections.get(socket)
      if (connection === undefined) return
      connection.response = response
      connection.lastRequest = ++requests
    },
    closeResting() {
      for (const connection of open.values()) if (!isBusy(connection)) connection.socket.destroy()
    },
    count: () => open.size,
  }
}

interface Connection {
  socket: Socket
  /** The response to its last request. */
  response: ServerResponse | undefined
  /** The number of its last request among those of all connections, or of the last one before it was opened. */
  lastRequest: number
}

function isBusy({ response }: Connection): boolean {
  return response !== undefined && !response.destroyed
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
