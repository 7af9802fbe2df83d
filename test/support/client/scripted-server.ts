import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach } from 'vitest'
import { refusal, type ScriptedReply, ScriptedService } from './scripted-service.js'

/** A request as it arrived. */
interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** Milliseconds of a clock that no one sets. */
  atMs: number
  /** Number of the connection that it came on, from 1. */
  connection: number
}

/** What a fault may do with one request. */
export interface Turn {
  request: ReceivedRequest
  response: ServerResponse
  socket: Socket
  /** Executes the request and gives the answer without sending it. */
  execute(): ScriptedReply
  /** Sends an answer. */
  send(reply: ScriptedReply): void
}

/** One scripted behaviour; it must answer or end the connection, unless hanging is the point. */
export type Fault = (turn: Turn) => void

export interface ScriptedServer {
  /** Ends in `/delivery/v1`. */
  baseUrl: string
  origin: string
  service: ScriptedService
  requests: ReceivedRequest[]
  /** Plays these faults, one a request, before anything else. */
  play(...faults: Fault[]): void
  /** Plays this fault on every request that no queued fault takes; `undefined` serves. */
  always: Fault | undefined
  close(): Promise<void>
}

interface ScriptedServerOptions {
  tls?: { key: string; cert: string }
}

/** Starts one for each test of a file, and gives the variables that lead the program there. */
export function serveScripted() {
  const server = {} as ScriptedServer
  beforeEach(async () => void (await startScriptedServer({}, server)))
  afterEach(() => server.close())
  return { server, env: () => ({ DLV_BASE_URL: server.baseUrl, DLV_API_KEY: 'key', DLV_ENVIRONMENT: 'sandbox' }) }
}

/** Starts a real HTTP server on loopback that serves a counting service and plays faults. */
export async function startScriptedServer(
  options: ScriptedServerOptions = {},
  scripted = {} as ScriptedServer,
): Promise<ScriptedServer> {
  const service = new ScriptedService()
  const queue: Fault[] = []
  const requests: ReceivedRequest[] = []
  const connections = new WeakMap<Socket, number>()
  let connectionCount = 0
  const server: Server = options.tls === undefined ? createServer() : createTlsServer(options.tls)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  const begun: ScriptedServer = {
    baseUrl: '',
    origin: '',
    service,
    requests,
    play: (...faults) => void queue.push(...faults),
    always: undefined,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  Object.assign(scripted, begun)

  server.on('request', (incoming, response) => {
    const { socket } = incoming
    if (!connections.has(socket)) connections.set(socket, ++connectionCount)
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const request: ReceivedRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
        atMs: performance.now(),
        connection: connections.get(socket) ?? 0,
      }
      requests.push(request)
      const key = incoming.headers['idempotency-key']
      const turn: Turn = {
        request,
        response,
        socket,
        execute: () =>
          service.execute(request.method, request.path, typeof key === 'string' ? key : undefined, request.body),
        send(answer) {
          response.writeHead(answer.status, {
            ...answer.headers,
            'content-length': String(Buffer.byteLength(answer.body)),
          })
          response.end(answer.body)
        },
      }
      const fault = queue.shift() ?? scripted.always ?? faults.serve()
      fault(turn)
    })
  })

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  scripted.origin = `${options.tls === undefined ? 'http' : 'https'}://${options.tls === undefined ? '127.0.0.1' : 'localhost'}:${port}`
  scripted.baseUrl = `${scripted.origin}/delivery/v1`
  return scripted
}

/** The faults by name. */
export const faults = {
  /** No fault. */
  serve: (): Fault => (turn) => turn.send(turn.execute()),
  /** Answers with this and executes nothing. */
  answer:
    (answer: ScriptedReply): Fault =>
    (turn) =>
      turn.send(answer),
  /** Refuses in the service's error shape. */
  refuse:
    (status: number, code: string, headers: Record<string, string> = {}): Fault =>
    (turn) =>
      turn.send(refusal(status, code, code, headers)),
  /** Executes, and answers with a refusal all the same. */
  refuseAfter:
    (status: number, code: string): Fault =>
    (turn) => {
      turn.execute()
      turn.send(refusal(status, code))
    },
  /** Ends the connection before anything is executed. */
  resetBefore: (): Fault => (turn) => turn.socket.resetAndDestroy(),
  /** Executes, then ends the connection without an answer. */
  resetAfter: (): Fault => (turn) => {
    turn.execute()
    turn.socket.resetAndDestroy()
  },
  /** Executes, sends half of the answer and ends the connection. */
  resetMidway: (): Fault => (turn) => {
    const answer = turn.execute()
    turn.response.writeHead(answer.status, {
      ...answer.headers,
      'content-length': String(Buffer.byteLength(answer.body)),
    })
    turn.response.write(answer.body.slice(0, answer.body.length / 2), () => turn.socket.resetAndDestroy())
  },
  /** Executes and never answers. */
  hangAfter: (): Fault => (turn) => void turn.execute(),
  /** Never answers and executes nothing. */
  hang: (): Fault => () => undefined,
  /** Executes and sends JSON that ends too early, as a complete HTTP answer. */
  truncatedJson: (): Fault => (turn) => {
    const answer = turn.execute()
    turn.send({ ...answer, body: answer.body.slice(0, -10) })
  },
  /** Executes and sends half of an answer that only the end of the connection delimits. */
  closeDelimited: (): Fault => (turn) => {
    const answer = turn.execute()
    const head = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`)
    turn.socket.end(
      `HTTP/1.1 ${answer.status} OK\r\n${head.join('')}connection: close\r\n\r\n${answer.body.slice(0, 60)}`,
    )
  },
  /** Executes and leaves properties out of the answer. */
  without:
    (...names: string[]): Fault =>
    (turn) => {
      const answer = turn.execute()
      const document = JSON.parse(answer.body) as Record<string, unknown>
      for (const name of names) delete document[name]
      turn.send({ ...answer, body: JSON.stringify(document) })
    },
  /** Executes and sends the answer one byte at a time. */
  drip:
    (intervalMs: number): Fault =>
    (turn) => {
      const answer = turn.execute()
      turn.response.writeHead(answer.status, {
        ...answer.headers,
        'content-length': String(Buffer.byteLength(answer.body)),
      })
      let sent = 0
      const timer = setInterval(() => {
        if (turn.socket.destroyed || sent >= answer.body.length) clearInterval(timer)
        else turn.response.write(answer.body[sent++])
      }, intervalMs)
    },
}
