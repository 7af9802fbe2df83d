import { UsageError } from '../../contract/index.js'
import { isBytes } from '../../shared/byte-codes.js'
import type { BodyLike } from './body-like.js'
import { type ReceiverAnswer, type ReceiverOptions, receiver } from './receiver.js'
import { readBody } from './request-body.js'

/** The part of a `node:http` request that is needed. A platform may have read its body, and may lack `rawHeaders`. */
interface RequestLike extends BodyLike {
  /** Empty on platforms that make the request of an event. */
  rawHeaders?: readonly string[]
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readableEnded: boolean
  /** The body as an earlier parser left it. */
  body?: unknown
  /** The body's bytes, as Cloud Functions, Nest and `express.json({ verify })` keep them. */
  rawBody?: unknown
}

/** The part of a `node:http` response that is needed. */
interface ResponseLike {
  writeHead(status: number, headers: Record<string, string | number>): unknown
  end(body: string): unknown
}

/**
 * A handler for Express, Connect and plain `node:http`: `app.post('/hooks', expressReceiver({ … }))`. It reads the raw
 * body itself, so mount it before `express.json()`. Bytes that were read before are taken from `request.rawBody` or, as
 * `express.raw()` leaves them, from `request.body`.
 *
 * @throws UsageError at once if a secret cannot be used.
 */
export function expressReceiver(options: ReceiverOptions) {
  const { receive, refuseTooLarge, refuseParsed, maxBodyBytes } = receiver(options)
  return async (request: RequestLike, response: ResponseLike): Promise<void> => {
    assertCalledAsHandler(request, response)
    const body = await rawBodyOf(request, maxBodyBytes)
    if (body === 'aborted') return
    if (body === 'too-large') write(response, refuseTooLarge(), true)
    else if (body === 'parsed') write(response, refuseParsed(adviceFor(request)))
    else write(response, await receive(request, body))
  }
}

function assertCalledAsHandler(request: unknown, response: unknown): void {
  const [given, answer] = [request, response] as [Partial<RequestLike> | undefined, Partial<ResponseLike> | undefined]
  const isRequest = typeof given?.headers === 'object' && (typeof given.on === 'function' || isBytes(given.rawBody))
  if (isRequest && typeof answer?.writeHead === 'function' && typeof answer.end === 'function') return
  throw new UsageError('expressReceiver was called with something else than a request and a response of Node', {
    hint: 'Call its handler as handler(request, response); a Request of the Fetch standard is for fetchReceiver.',
  })
}

async function rawBodyOf(request: RequestLike, maxBytes: number) {
  const kept = [request.rawBody, request.body].find(isBytes)
  if (kept !== undefined) return kept
  const isRead = request.readableEnded || request.rawBody !== undefined
  return isRead ? 'parsed' : readBody(request, maxBytes)
}

function adviceFor({ rawBody }: RequestLike): string {
  return typeof rawBody === 'string'
    ? 'request.rawBody is a text; keep the bytes, without toString()'
    : 'mount the receiver before express.json(), or keep the bytes in request.rawBody'
}

function write(response: ResponseLike, { status, headers, body }: ReceiverAnswer, close = false) {
  response.writeHead(status, {
    ...headers,
    'content-length': new TextEncoder().encode(body).length,
    ...(close ? { connection: 'close' } : {}),
  })
  response.end(body)
}
