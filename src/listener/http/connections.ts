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
  /** By the peer's address: of a TLS connection there are two sockets. Those used last are last. */
  const open = new Map<string, Socket>()
  const busy = new Set<string>()
  const keys = new WeakMap<Socket, string>()

  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket)
    keys.set(socket, key)
    if (open.size >= limit) evict(socket)
    if (socket.destroyed) return
    open.set(key, socket)
    socket.once('close', () => {
      if (open.get(key) === socket) open.delete(key)
    })
  })
  server.on('secureConnection', (socket: Socket) => keys.set(socket, keyOf(socket)))

  function evict(newest: Socket) {
    for (const [key, socket] of open) {
      if (busy.has(key)) continue
      open.delete(key)
      socket.destroy()
      onEvicted()
      return
    }
    newest.destroy()
    onEvicted()
  }

  return {
    during({ socket }, response) {
      const key = keys.get(socket) ?? ''
      busy.add(key)
      response.once('close', () => {
        busy.delete(key)
        const used = open.get(key)
        if (used === undefined) return
        open.delete(key)
        open.set(key, used)
      })
    },
    closeResting() {
      for (const [key, socket] of open) if (!busy.has(key)) socket.destroy()
    },
    count: () => open.size,
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
