import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { longestDelayMs } from '../contract/index.js'

export interface Post {
  url: string
  headers: Readonly<Record<string, string>>
  /** Sent byte for byte; several pieces are sent chunked, `betweenPiecesMs` apart. */
  body: Uint8Array | readonly Uint8Array[]
  betweenPiecesMs?: number
  /** For the whole exchange; 0 for no limit. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** How much of the answer's body is kept; 64 KiB unless given. */
  answerMaxBytes?: number
  /** Certificates to trust besides the system's own, for a receiver that signs itself. */
  ca?: string | undefined
  /** Takes any certificate: for a request that holds nothing worth keeping from whoever answers. */
  trustAnyone?: boolean
}

export type PostFailure = 'refused' | 'timeout' | 'reset' | 'name-not-found' | 'tls' | 'aborted' | 'other'

/** What came of a POST: an answer with any status, or why there is none. */
export type PostOutcome =
  | { answered: true; status: number; headers: IncomingMessage['headers']; body: Buffer; durationMs: number }
  | { answered: false; failure: PostFailure; message: string; durationMs: number }

/** Whether the receiver took what was sent: it answered with any 2xx. */
export function isTaken(outcome: PostOutcome): boolean {
  return outcome.answered && outcome.status >= 200 && outcome.status < 300
}

/**
 * Sends a webhook: exactly these bytes and headers, no redirect followed, no proxy used. Never throws for what the
 * network does; an answer of any status is an answer.
 *
 * @throws TypeError where the URL is none.
 */
export async function post(input: Post): Promise<PostOutcome> {
  const startedAt = performance.now()
  const durationMs = () => Math.round(performance.now() - startedAt)
  const timeout = new AbortController()
  const timer =
    input.timeoutMs > 0 ? setTimeout(() => timeout.abort(), Math.min(input.timeoutMs, longestDelayMs)) : undefined
  const signal = input.signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, input.signal])
  try {
    const answer = await exchange(input, signal)
    return { answered: true, ...answer, durationMs: durationMs() }
  } catch (error) {
    if (error instanceof TypeError) throw error
    if (timeout.signal.aborted) {
      const message = `no answer from ${input.url} within ${input.timeoutMs / 1000} s`
      return { answered: false, failure: 'timeout', message, durationMs: durationMs() }
    }
    return { answered: false, ...failureOf(error, input), durationMs: durationMs() }
  } finally {
    clearTimeout(timer)
  }
}

/** One request; a second one where the first met a kept connection that the other side had just closed. */
async function exchange(input: Post, signal: AbortSignal) {
  try {
    return await send(input, signal)
  } catch (error) {
    if (error instanceof StaleConnection) return await send(input, signal)
    throw error
  }
}

/** A connection kept from an earlier request was closed before it carried this one. */
class StaleConnection extends Error {}

function send(input: Post, signal: AbortSignal) {
  const url = new URL(input.url)
  const pieces = input.body instanceof Uint8Array ? [input.body] : input.body
  const headers = { ...input.headers, ...(pieces.length === 1 ? { 'content-length': pieces[0]?.length ?? 0 } : {}) }
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
    const trust = input.trustAnyone === true ? { rejectUnauthorized: false } : {}
    const options = { method: 'POST', headers, signal, ...trust, ...(input.ca === undefined ? {} : { ca: input.ca }) }
    const request = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
    request.on('error', (error: NodeJS.ErrnoException) => {
      reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error)
    })
    request.on('response', (response) => {
      readAnswer(response, input.answerMaxBytes ?? 65_536).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      )
    })
    write(request, pieces, input.betweenPiecesMs ?? 0, signal)
  })
}

function write(request: ClientRequest, pieces: readonly Uint8Array[], betweenPiecesMs: number, signal: AbortSignal) {
  const [piece, ...rest] = pieces
  if (piece !== undefined) request.write(piece)
  if (rest.length === 0) {
    request.end()
    return
  }
  setTimeout(() => {
    if (!signal.aborted && !request.destroyed) write(request, rest, betweenPiecesMs, signal)
  }, betweenPiecesMs)
}

async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const kept: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (length < maxBytes) kept.push(chunk.subarray(0, maxBytes - length))
    length += chunk.length
    if (length > 16 * maxBytes) {
      response.destroy()
      break
    }
  }
  return Buffer.concat(kept)
}

function failureOf(error: unknown, input: Post): { failure: PostFailure; message: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const { host, hostname, origin } = new URL(input.url)
  if (input.signal?.aborted) return { failure: 'aborted', message: 'stopped before an answer came' }
  if (code === 'ECONNREFUSED') {
    return { failure: 'refused', message: `nothing is listening on ${origin}; is your app up?` }
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { failure: 'name-not-found', message: `the name ${hostname} is not known` }
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return { failure: 'reset', message: `${host} closed the connection without an answer` }
  }
  const message = error instanceof Error ? error.message : String(error)
  const isTls = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)
  return { failure: isTls ? 'tls' : 'other', message: `${origin}: ${message}` }
}
