import type { IncomingMessage } from 'node:http'

/** Why a request is rejected before its body is read. */
export interface EarlyResponse {
  status: number
  reason: string
  message: string
  /** Headers of the answer, such as `Allow`. */
  headers?: Record<string, string>
}

export interface GateOptions {
  /** The one path that takes webhooks. */
  path: string
  /** Host names that requests may be addressed to; `undefined` for any. */
  hosts: ReadonlySet<string> | undefined
  bodyBytes: number
}

/** Decides by its first lines whether a request reaches the verifier. */
export function rejectBeforeBody(request: IncomingMessage, options: GateOptions): EarlyResponse | undefined {
  const host = hostnameOf(request.headers.host)
  if (options.hosts !== undefined && !options.hosts.has(host)) {
    const message = `the request was addressed to ${host || 'no host'}; behind a tunnel, let it rewrite Host`
    return { status: 421, reason: 'foreign_host', message }
  }
  if (request.headers.origin !== undefined) {
    return {
      status: 403,
      reason: 'from_a_browser',
      message: 'the request has an Origin: webhooks do not come from web pages',
    }
  }
  if ((request.url ?? '').split('?')[0] !== options.path) {
    return { status: 404, reason: 'unknown_path', message: `webhooks are accepted only at ${options.path}` }
  }
  if (request.method !== 'POST') {
    const message = `webhooks are POSTed; this was ${request.method ?? 'nothing'}`
    return { status: 405, reason: 'not_a_post', message, headers: { allow: 'POST' } }
  }
  if (request.headers['content-encoding'] !== undefined) {
    return {
      status: 415,
      reason: 'content_encoding',
      message: 'the body is compressed; signatures are over plain bytes',
    }
  }
  return Number(request.headers['content-length'] ?? 0) > options.bodyBytes ? tooLarge(options.bodyBytes) : undefined
}

export function tooLarge(bodyBytes: number): EarlyResponse {
  return { status: 413, reason: 'body_too_large', message: `the body has more than ${bodyBytes} bytes` }
}

/** The name in a Host header, without its port. */
export function hostnameOf(host = ''): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}
