import { type Agent, type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { joinBytes } from '../../shared/byte-codes.js'
import { readHeaders, tooLarge } from './read-response.js'
import type { TransportReply, TransportRequest } from './transport.js'

/** Connections of `node:http` and `node:https`, which stay open between requests. */
interface PlainConnections {
  /** One request and its whole answer, read into memory up to the limit. */
  exchange(request: TransportRequest): Promise<TransportReply>
  close(): void
}

export function plainConnections(connectTimeoutMs: number): PlainConnections {
  const agents = new Map<string, Agent>()

  function agentFor(protocol: string): Agent {
    const known = agents.get(protocol)
    if (known !== undefined) return known
    // An idle connection is dropped before common servers drop it.
    const settings = { keepAlive: true, timeout: 4_000 }
    const agent = protocol === 'https:' ? new HttpsAgent(settings) : new HttpAgent(settings)
    agents.set(protocol, agent)
    return agent
  }

  function start({ url, method, headers }: TransportRequest): ClientRequest {
    const { protocol, hostname, port, pathname, search } = new URL(url)
    const send = protocol === 'https:' ? httpsRequest : httpRequest
    return send({
      agent: agentFor(protocol),
      protocol,
      hostname: hostname.replace(/^\[(.+)\]$/, '$1'),
      port,
      path: pathname + search,
      method,
      headers,
    })
  }

  return {
    exchange: (request) => answerTo(request, () => start(request), connectTimeoutMs),
    close() {
      for (const agent of agents.values()) agent.destroy()
      agents.clear()
    },
  }
}

function answerTo(
  { signal, maxBytes, body, url }: TransportRequest,
  start: () => ClientRequest,
  connectTimeoutMs: number,
): Promise<TransportReply> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const outgoing = start()
    let connecting: NodeJS.Timeout | undefined
    let hasAnswer = false
    let received = 0
    const chunks: Buffer[] = []
    const settle = (finish: () => void) => {
      clearTimeout(connecting)
      signal.removeEventListener('abort', abort)
      finish()
    }
    const fail = (reason: unknown) => {
      settle(() => reject(reason))
      outgoing.destroy()
    }
    const abort = () => fail(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    outgoing.on('socket', (socket) => {
      if (!socket.connecting) return
      connecting = setTimeout(() => fail(connectTimeout(connectTimeoutMs)), connectTimeoutMs)
      socket.once(url.startsWith('https:') ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
    })
    outgoing.on('error', fail)
    outgoing.on('close', () => {
      if (!hasAnswer) fail(closedEarly())
    })
    outgoing.on('response', (response) => {
      hasAnswer = true
      const status = response.statusCode ?? 0
      const headers = readHeaders(response.headersDistinct)
      response.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (received > maxBytes) fail(tooLarge(maxBytes))
        else chunks.push(chunk)
      })
      response.on('error', fail)
      response.on('end', () => {
        settle(() => resolve({ status, headers, body: joinBytes(chunks) }))
      })
    })
    outgoing.end(body)
  })
}

function connectTimeout(limitMs: number): Error {
  return Object.assign(new Error(`no connection within ${limitMs} ms`), { code: 'ERR_CONNECT_TIMEOUT' })
}

/** Only a switch of protocols ends a connection without an answer and without an error. */
function closedEarly(): Error {
  return Object.assign(new Error('The connection ended without an answer'), { code: 'ECONNRESET' })
}
