import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isBytes } from '../shared/byte-codes.js'
import { ConnectionError, UsageError } from '../shared/dlv-error.js'
import { longestDelayMs } from '../shared/durations.js'
import { isTlsCode, isUntrusted, tlsWords } from '../shared/tls-problems.js'
import type { ProxiedWay } from './through-proxy.js'

/** A POST to a receiver. */
export interface Post {
  /** The address of the receiver. */
  url: string
  /** Sent as they are. */
  headers: Readonly<Record<string, string>>
  /** Sent byte for byte; several pieces are sent chunked, `betweenPiecesMs` apart. */
  body: Uint8Array | readonly Uint8Array[]
  /** Milliseconds between two pieces of a body. */
  betweenPiecesMs?: number
  /** For the whole exchange; 0 for no limit. */
  timeoutMs: number
  /** Ends the exchange. */
  signal?: AbortSignal | undefined
  /**
   * How many bytes of the response's body are kept; 64 KiB unless given. With 0 a response counts as soon as its status
   * line has come, and the body is read and dropped.
   */
  responseMaxBytes?: number
  /** Certificates to trust besides the system's own, for a receiver that signs itself. */
  ca?: string | undefined
  /** Accepts any certificate: only for a request without confidential content. */
  trustAnyone?: boolean
  /** Connections to reuse. Default: those of the process. */
  connections?: PostConnections
}

/** Why a receiver gave no response. */
export type PostFailure = 'refused' | 'proxy' | 'timeout' | 'reset' | 'name-not-found' | 'tls' | 'aborted' | 'other'

/** The result of a POST: a response with any status, or the reason why there is none. */
export type PostResult =
  | {
      /** There was a response. */
      answered: true
      /** Its HTTP status. */
      status: number
      /** Its headers. */
      headers: IncomingHttpHeaders
      /** Its body, up to `responseMaxBytes`. */
      body: Buffer
      /** Duration of the exchange, in milliseconds. */
      durationMs: number
    }
  | {
      /** There was no response. */
      answered: false
      /** Why, as a word to branch on. */
      failure: PostFailure
      /** Why, in one sentence. */
      message: string
      /** The receiver took the whole request: it is up, and did not answer in time. */
      isTaken?: true
      /** Duration of the exchange, in milliseconds. */
      durationMs: number
    }

/** Whether the receiver accepted what was sent: it answered with any 2xx. */
export function isAccepted(outcome: PostResult): boolean {
  return outcome.answered && outcome.status >= 200 && outcome.status < 300
}

/** A redirect in words: it is never followed, since what answers elsewhere is not who was to get the event. */
export function redirectText(outcome: PostResult): string | undefined {
  if (!outcome.answered || outcome.status < 300 || outcome.status >= 400) return undefined
  const { location } = outcome.headers
  if (location === undefined) return undefined
  return `redirects to ${shownLocation(location)}, which is not followed: use that address if it is the receiver's`
}

/** Where a redirect leads, without user, password and query, which may be secrets. */
function shownLocation(location: string): string {
  const [path = '', ...query] = location.slice(0, 300).split(/[?#]/)
  return `${path.replace(/\/\/[^/]*@/, '//')}${query.length === 0 ? '' : '?…'}`
}

/** Kept connections of one sender, closed together. */
export interface PostConnections {
  /** For receivers that are called by http. */
  http: HttpAgent
  /** For receivers that are called by https. */
  https: HttpsAgent
  /** Closes all of them. */
  close(): void
}

/**
 * Connections that several posts share.
 *
 * @param perHost how many connections to one receiver may be open at once
 */
export function postConnections(perHost: number): PostConnections {
  const http = new HttpAgent({ keepAlive: true, maxSockets: perHost })
  const https = new HttpsAgent({ keepAlive: true, maxSockets: perHost })
  return {
    http,
    https,
    close() {
      http.destroy()
      https.destroy()
    },
  }
}

/**
 * Sends a webhook: exactly these bytes and headers, no redirect followed; to other machines through the proxy that
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name. Never throws for what the network does; a response of any status is
 * a response.
 *
 * @throws TypeError if the URL is invalid
 */
export async function post(input: Post): Promise<PostResult> {
  const url = new URL(input.url)
  const startedAt = performance.now()
  const durationMs = () => Math.round(performance.now() - startedAt)
  const deadline = deadlineOf(input.timeoutMs)
  try {
    const response = await exchange(url, input, deadline)
    return { answered: true, ...response, durationMs: durationMs() }
  } catch (error) {
    deadline.clear()
    const failure = failureOf(error, url, input, deadline.isOver())
    const isTaken = failure.failure === 'timeout' && deadline.isTaken() ? { isTaken: true as const } : {}
    return { answered: false, ...failure, ...isTaken, durationMs: durationMs() }
  }
}

/** Ends a request that takes too long, up to the last byte of its response. */
interface Deadline {
  watch(request: ClientRequest): void
  clear(): void
  isOver(): boolean
  /** Whether the request had been sent whole when the time was over. */
  isTaken(): boolean
}

function deadlineOf(timeoutMs: number): Deadline {
  let watched: ClientRequest | undefined
  let isOver = false
  let isTaken = false
  const end = () => {
    isOver = true
    isTaken = watched?.socket?.connecting === false && watched.writableFinished
    watched?.destroy()
  }
  const timer = timeoutMs > 0 ? setTimeout(end, Math.min(timeoutMs, longestDelayMs)) : undefined
  return {
    watch(request) {
      watched = request
    },
    clear: () => clearTimeout(timer),
    isOver: () => isOver,
    isTaken: () => isTaken,
  }
}

/** One request; a second one if the first met a kept connection that the other side had just closed. */
async function exchange(url: URL, input: Post, deadline: Deadline) {
  const way = namesProxy(process.env) ? await (await loadProxies()).wayThroughProxy(url, input) : undefined
  try {
    return await send(url, input, deadline, way)
  } catch (error) {
    if (error instanceof StaleConnection) return await send(url, input, deadline)
    throw error
  }
}

/** Loaded only where a variable names a proxy. */
const loadProxies = () => import('./through-proxy.js')

function namesProxy(environment: NodeJS.ProcessEnv): boolean {
  return ['https_proxy', 'http_proxy', 'all_proxy'].some((name) => environment[name] || environment[name.toUpperCase()])
}

/** A connection kept from an earlier request was closed before it carried this one. */
class StaleConnection extends Error {}

function send(url: URL, input: Post, deadline: Deadline, way?: ProxiedWay) {
  const { connections, signal, ca, trustAnyone = false, responseMaxBytes = 65_536 } = input
  const isSecure = url.protocol === 'https:'
  const pieces = isBytes(input.body) ? [input.body] : input.body
  const headers = { ...input.headers, ...(pieces.length === 1 ? { 'content-length': pieces[0]?.length ?? 0 } : {}) }
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const options = {
      method: 'POST',
      headers,
      agent: isSecure ? connections?.https : connections?.http,
      signal,
      // Given at all, it would outrank NODE_TLS_REJECT_UNAUTHORIZED.
      ...(trustAnyone ? { rejectUnauthorized: false } : {}),
      ca,
    }
    const request =
      way !== undefined
        ? requestHttp({ ...way.options, method: 'POST', headers: { ...headers, ...way.options.headers }, signal })
        : isSecure
          ? requestHttps(url, options)
          : requestHttp(url, options)
    deadline.watch(request)
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === 'ECONNRESET' && !deadline.isOver()
      if (!isStale) deadline.clear()
      reject(isStale ? new StaleConnection() : error)
    })
    request.on('response', (response) => {
      response.on('close', deadline.clear)
      const { statusCode: status = 0, headers } = response
      const refusal = way?.refusal(response)
      if (refusal !== undefined) {
        response.destroy()
        return reject(refusal)
      }
      if (responseMaxBytes === 0) resolve({ status, headers, body: Buffer.of() })
      // After a status line that is enough by itself, nothing that goes wrong behind it matters.
      readResponse(response, responseMaxBytes).then((body) => resolve({ status, headers, body }), reject)
    })
    write(request, pieces, input.betweenPiecesMs ?? 0)
  })
}

function write(request: ClientRequest, pieces: readonly Uint8Array[], betweenPiecesMs: number) {
  const [piece, ...rest] = pieces
  if (rest.length === 0) {
    request.end(piece)
    return
  }
  if (piece !== undefined) request.write(piece)
  setTimeout(() => {
    if (!request.destroyed) write(request, rest, betweenPiecesMs)
  }, betweenPiecesMs)
}

/** Far more than is kept of a response is not read, even to be dropped. */
const droppedMaxBytes = 1_048_576

async function readResponse(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const kept: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (length < maxBytes) kept.push(chunk.subarray(0, maxBytes - length))
    length += chunk.length
    if (length > maxBytes + droppedMaxBytes) {
      response.destroy()
      break
    }
  }
  return Buffer.concat(kept)
}

function failureOf(
  error: unknown,
  { host, hostname, origin, pathname }: URL,
  { timeoutMs, signal }: Post,
  isLate: boolean,
) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const failed = (failure: PostFailure, message: string) => ({ failure, message })
  if (error instanceof ConnectionError || error instanceof UsageError)
    return failed(
      'proxy',
      error.hint === undefined ? error.message : `${error.message}. ${error.hint.replace(/\.$/, '')}`,
    )
  if (isLate) return failed('timeout', `no response from ${origin}${pathname} within ${timeoutMs / 1000} s`)
  if (signal?.aborted === true) return failed('aborted', 'stopped before a response came')
  if (code === 'ECONNREFUSED') return failed('refused', `nothing is listening on ${origin}; is your app up?`)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return failed('name-not-found', `cannot find the host ${hostname}`)
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return failed('reset', `${host} closed the connection without a response`)
  const isTls = isTlsCode(code)
  const advice = isUntrusted(code) ? '; if its authority is your own, name its file in NODE_EXTRA_CA_CERTS' : ''
  const what = tlsWords(error instanceof Error ? error.message : String(error))
  return failed(isTls ? 'tls' : 'other', `${origin}: ${what}${advice}`)
}
