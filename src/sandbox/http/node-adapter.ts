import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Answer, type HttpExchange, MAX_BODY_BYTES } from './exchange.js'

/** A body past the limit is read away up to here, so that its sender gets to see the answer. */
const MAX_DRAINED_BYTES = 64 * 1_048_576

/** An HTTP server that answers every request with `answer`, and bytes that are not an HTTP request with `malformed`. */
export function createHttpServer(
  answer: (exchange: HttpExchange) => Promise<Answer>,
  malformed: (message: string) => Answer,
): Server {
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000, keepAliveTimeout: 30_000 })
  // Answers of one turn of the event loop are written together: a write that wakes up a waiting client is slow.
  let unwritten: (() => void)[] = []
  const write = (answer: Answer, incoming: IncomingMessage, outgoing: ServerResponse) => {
    const isFirst = unwritten.push(() => writeAnswer(answer, incoming, outgoing)) === 1
    if (!isFirst) return
    setImmediate(() => {
      const answers = unwritten
      unwritten = []
      for (const writeOne of answers) writeOne()
    })
  }
  server.on('request', async (incoming, outgoing) => {
    if (isUnreadable(incoming.url)) {
      write(malformed('the target is not a URL'), incoming, outgoing)
      return
    }
    const exchange = new IncomingExchange(incoming, outgoing)
    write(await answer(exchange), incoming, outgoing)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseSocket(socket, malformed(error.message)))
  return server
}

/** A request at the socket; what few requests need is made when it is asked for. */
class IncomingExchange implements HttpExchange {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly address: string | undefined
  readonly reachedAt: string | undefined
  received: Uint8Array | 'too large' | undefined
  private abort: AbortController | undefined
  private isGone = false

  constructor(
    private readonly incoming: IncomingMessage,
    outgoing: ServerResponse,
  ) {
    const { path, search } = splitTarget(incoming.url ?? '/')
    this.method = incoming.method ?? 'GET'
    this.path = path
    this.search = search
    this.address = incoming.socket.remoteAddress
    this.reachedAt = incoming.socket.localAddress
    outgoing.on('close', () => {
      // Nobody waits for an answer that has left; the error that an abort makes costs more than a read of the store.
      if (outgoing.writableFinished) return
      this.isGone = true
      this.abort?.abort()
    })
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  async body(): Promise<Uint8Array | 'too large'> {
    this.received = await readBody(this.incoming)
    return this.received
  }

  get signal(): AbortSignal {
    this.abort ??= new AbortController()
    if (this.isGone) this.abort.abort()
    return this.abort.signal
  }
}

function isUnreadable(target = '/'): boolean {
  return !target.startsWith('/') && /^https?:/i.test(target) && !URL.canParse(target)
}

/** Path and query of a request target, of the absolute form that proxies send as well. */
function splitTarget(target: string): { path: string; search: string } {
  const local = target.replace(/^https?:\/\/[^/?]*(?=\/)/i, '').replace(/^https?:\/\/[^/?]*/i, '/')
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
  const length = Buffer.byteLength(answer.body)
  outgoing.writeHead(answer.status, { ...answer.headers, 'Content-Length': length })
  if (answer.transport === 'TRUNCATE') {
    const body = Buffer.from(answer.body)
    outgoing.write(body.subarray(0, body.length >> 1), () => incoming.socket.destroy())
    return
  }
  // Text leaves in one write with its head, bytes in two; ASCII needs no encoding.
  outgoing.end(answer.body, length === answer.body.length ? 'latin1' : 'utf8')
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
