import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Answer, type HttpExchange, MAX_BODY_BYTES } from './exchange.js'

/** A body past the limit is read away up to here, so that its sender gets to see the answer. */
const MAX_DRAINED_BYTES = 64 * 1_048_576

/** An HTTP server that answers every request with `answer`. A request that is no HTTP gets `malformed`'s answer. */
export function createHttpServer(
  answer: (exchange: HttpExchange) => Promise<Answer>,
  malformed: (message: string) => Answer,
): Server {
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000, keepAliveTimeout: 30_000 })
  server.on('request', async (incoming, outgoing) => {
    const exchange = exchangeOfIncoming(incoming, outgoing)
    writeAnswer(await answer(exchange), incoming, outgoing)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseSocket(socket, malformed(error.message)))
  return server
}

function exchangeOfIncoming(incoming: IncomingMessage, outgoing: ServerResponse): HttpExchange {
  const { path, search } = splitTarget(incoming.url ?? '/')
  const abort = new AbortController()
  outgoing.on('close', () => {
    // Nobody waits for an answer that has left; the error that an abort makes costs more than a read of the store.
    if (!outgoing.writableFinished) abort.abort()
  })
  return {
    method: incoming.method ?? 'GET',
    path,
    search,
    header: (name) => {
      const value = incoming.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body: () => readBody(incoming),
    address: incoming.socket.remoteAddress,
    reachedAt: incoming.socket.localAddress,
    signal: abort.signal,
  }
}

/** Path and query of a request target, of the absolute form that proxies send as well. */
function splitTarget(target: string): { path: string; search: string } {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = local.indexOf('?')
  return mark < 0 ? { path: local, search: '' } : { path: local.slice(0, mark), search: local.slice(mark) }
}

function readBody(incoming: IncomingMessage): Promise<Uint8Array | 'too large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= MAX_BODY_BYTES) chunks.push(chunk)
      else if (length > MAX_DRAINED_BYTES) resolve('too large')
    })
    incoming.on('end', () => resolve(length > MAX_BODY_BYTES ? 'too large' : Buffer.concat(chunks)))
    incoming.on('error', reject)
  })
}

function writeAnswer(answer: Answer, incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (answer.transport === 'HANG' || outgoing.destroyed) return
  if (answer.transport === 'RESET') {
    incoming.socket.resetAndDestroy()
    return
  }
  const body = Buffer.from(answer.body)
  outgoing.writeHead(answer.status, { ...answer.headers, 'Content-Length': body.length })
  if (answer.transport === 'TRUNCATE') {
    outgoing.write(body.subarray(0, body.length >> 1), () => incoming.socket.destroy())
    return
  }
  outgoing.end(body)
  if (!incoming.complete) incoming.resume()
}

function refuseSocket(socket: Duplex, answer: Answer): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const headers = { ...answer.headers, 'Content-Length': Buffer.byteLength(answer.body), Connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${answer.status} Bad Request\r\n${lines.join('')}\r\n${answer.body}`)
}
