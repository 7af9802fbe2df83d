import { ApiError, ConnectionError, headers as headerNames, UsageError } from '../contract/index.js'
import type { Clock } from './clock.js'
import { joinUrl } from './path.js'
import { readRefusal } from './response/response.js'
import type { PreparedRequest } from './retry/attempts.js'
import type { RetrySafety } from './retry/retry.js'
import type { ServiceClock } from './service-clock.js'
import type { HeaderReader, TransportReply } from './transport/transport.js'

/** A request to any path below the base URL. */
export interface RawRequest {
  /** The HTTP method. */
  method: string
  /** Begins with a slash, such as `/deliveries`; may contain a query. */
  path: string
  /** Added to the path: lists repeat their name, a `Date` is written in RFC 3339. */
  query?: object | undefined
  /** Added to those that every request has. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Sent as it is; a string as UTF-8. */
  body?: Uint8Array | string | undefined
}

/** The response to a raw request, whatever its status. */
export interface RawReply {
  /** The HTTP status. */
  status: number
  /** The headers of the response. */
  headers: HeaderReader
  /** The bytes of the response, unpacked. */
  body: Uint8Array
}

/** The job of a raw request, and the reply that it ended with, errors included. */
interface PreparedRawRequest extends PreparedRequest<RawReply> {
  /** The reply behind a failure; `undefined` if the last attempt got none. */
  replyBehind(failure: unknown): RawReply | undefined
}

/**
 * Prepares a raw request: retried as any other, but a refusal is an answer like the rest.
 *
 * @throws UsageError for a path that leaves the base URL
 */
export function prepareRaw(
  baseUrl: string,
  request: RawRequest,
  common: Record<string, string>,
  clock: Pick<Clock, 'nowMs'>,
  serviceClock: Pick<ServiceClock, 'observe'>,
): PreparedRawRequest {
  const method = request.method.toUpperCase()
  const own = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const body = typeof request.body === 'string' ? new TextEncoder().encode(request.body) : request.body
  const headers = { ...common, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...own }
  let last: TransportReply | undefined
  return {
    operation: undefined,
    request: { method, url: joinUrl(baseUrl, checkPath(request.path), request.query), headers, body },
    retrySafety: retrySafetyOf(method, headers),
    parseResponse(reply) {
      last = reply
      const failure = reply.status >= 300 ? readRefusal(reply, clock.nowMs()) : undefined
      // The date of a page that is not the service's says nothing of its clock.
      if (failure === undefined ? isJson(reply) : failure instanceof ApiError)
        serviceClock.observe(reply.headers.get('date'))
      if (failure !== undefined) throw failure
      return reply
    },
    replyBehind(failure) {
      const isAnswered =
        failure instanceof ApiError || (failure instanceof ConnectionError && !failure.reason.startsWith('proxy'))
      return isAnswered && failure.status !== undefined && failure.status === last?.status ? last : undefined
    },
  }
}

function isJson({ headers }: TransportReply): boolean {
  return /\bjson\b/i.test(headers.get('content-type') ?? '')
}

function checkPath(path: string): string {
  if (!path.startsWith('/') || path.startsWith('//'))
    throw new UsageError(`"${path}" is not a path below the base URL`, { hint: 'Begin it with one slash.' })
  // A parser of URLs leaves these out, and with them whatever they kept apart.
  const isClimbing = (path.replaceAll(/[\t\n\r]/g, '').split(/[?#]/, 1)[0] ?? '')
    .split(/[/\\]/)
    .some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (isClimbing) throw new UsageError(`"${path}" leaves the base URL: "." and ".." are refused`)
  return path
}

function retrySafetyOf(method: string, headers: Readonly<Record<string, string>>): RetrySafety {
  if (method === 'GET' || method === 'HEAD') return 'safe'
  return headers[headerNames.idempotencyKey.toLowerCase()] === undefined ? 'unsafe' : 'idempotent'
}
