import { connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { onTestFinished } from 'vitest'
import { startHttpServer } from '../http-server.js'

/** How a proxy treats one CONNECT: a tunnel, these bytes, silence, or the end of the connection. */
export type ProxyTurn = 'tunnel' | 'silence' | 'close' | 'close-after-200' | string

/** A forward proxy on a raw socket: it answers byte for byte as a real one does. */
export interface ForwardProxy {
  url: string
  port: number
  /** The head of each CONNECT. */
  heads: string[]
  /** How each CONNECT is treated, the first one first; the last turn stays. */
  turns: ProxyTurn[]
}

/** As Squid 5.7 refuses: the reason is in a header. */
export function squidPage(status: string, error: string, more = ''): string {
  const page = `<!DOCTYPE html><html><head><title>ERROR: The requested URL could not be retrieved</title></head><body>${error}</body></html>`
  return `HTTP/1.1 ${status}\r\nServer: squid/5.7\r\nMime-Version: 1.0\r\nDate: Sat, 01 Jan 2000 00:00:00 GMT\r\nContent-Type: text/html;charset=utf-8\r\nContent-Length: ${page.length}\r\nX-Squid-Error: ${error} 0\r\n${more}Via: 1.1 proxy (squid/5.7)\r\nConnection: keep-alive\r\n\r\n${page}`
}

/** As tinyproxy 1.11 refuses: the reason is in the title, and the connection ends. */
export function tinyproxyPage(status: string, title: string): string {
  return `HTTP/1.0 ${status}\r\nServer: tinyproxy/1.11.1\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<?xml version="1.0" encoding="UTF-8" ?>\n<html>\n<head><title>${title}</title></head>\n<body><h1>${title.slice(4)}</h1></body></html>`
}

/** Starts a proxy whose tunnels all lead to one port of this machine, gone after the test. */
export async function startForwardProxy(
  targetPort: number,
  turns: ProxyTurn[],
  tls?: { key: string; cert: string },
): Promise<ForwardProxy> {
  const proxy: ForwardProxy = { url: '', port: 0, heads: [], turns }
  const sockets = new Set<Socket>()
  const serve = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let head = ''
    const read = (chunk: Buffer) => {
      head += chunk.toString('latin1')
      if (head.startsWith('\x16')) return void socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', read)
      proxy.heads.push(head)
      const turn = proxy.turns.length > 1 ? proxy.turns.shift() : proxy.turns[0]
      if (turn === 'tunnel') return join(socket, targetPort, sockets)
      if (turn === 'close') return void socket.destroy()
      if (turn === 'close-after-200') return void socket.write('HTTP/1.1 200 OK\r\n\r\n', () => socket.destroy())
      if (turn !== undefined && turn !== 'silence') socket.end(turn)
    }
    socket.on('data', read)
  }
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve)
  proxy.port = Number(new URL(await startHttpServer(server)).port)
  proxy.url = `http://127.0.0.1:${proxy.port}`
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return proxy
}

function join(socket: Socket, port: number, sockets: Set<Socket>): void {
  const onward = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.pipe(onward).pipe(socket)
  })
  sockets.add(onward)
  onward.on('error', () => socket.destroy())
  socket.on('close', () => onward.destroy())
  onward.on('close', () => socket.destroy())
}
