import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The open connections of a server, those in the middle of a TLS handshake included. */
export interface OpenConnections {
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
export function openConnections(server: Server, limit: number, onEvicted: () => void): OpenConnections {
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
