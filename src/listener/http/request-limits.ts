import type { IncomingMessage } from 'node:http'
import { isEncoded } from '../../webhooks/internal.js'

/** Why a request is rejected before its body is read. */
export interface EarlyResponse {
  status: number
  reason: string
  message: string
  /** How to fix it, for whoever runs the listener. */
  hint?: string
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
export function answerBeforeBody(request: IncomingMessage, options: GateOptions): EarlyResponse | undefined {
  const { host, path } = addressOf(request)
  if (isForeign(host, options.hosts)) {
    const message = `the request was addressed to ${host}, a name that is not allowed here`
    const hint = `Allow it with { allowedHosts: [${JSON.stringify(host)}] }, or let the server in front rewrite Host.`
    return { status: 421, reason: 'foreign_host', message, hint }
  }
  if (request.headers.origin !== undefined) {
    return {
      status: 403,
      reason: 'from_a_browser',
      message: 'the request has an Origin: webhooks do not come from web pages',
    }
  }
  // As a server in front checks a port: HAProxy with `OPTIONS / HTTP/1.0`, Apache with `OPTIONS *`.
  if (request.method === 'OPTIONS')
    return { status: 200, reason: healthCheck, message: 'webhooks are POSTed', headers: { allow: 'POST' } }
  if (path.split('?')[0] !== options.path) {
    return { status: 404, reason: 'unknown_path', message: `webhooks are accepted only at ${options.path}` }
  }
  if (request.method !== 'POST') {
    const message = `webhooks are POSTed; this was ${request.method ?? 'nothing'}`
    return { status: 405, reason: 'not_a_post', message, headers: { allow: 'POST' } }
  }
  if (isEncoded([request.headers['content-encoding'] ?? ''])) {
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

/** The reason of what is no rejection: a check of whether the port answers. */
export const healthCheck = 'health_check'

/** Whom a request is addressed to and its path with the query; a proxy may send both as one absolute address. */
export function addressOf({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): {
  host: string
  path: string
} {
  const [, authority, path] = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(url) ?? []
  if (authority === undefined || !URL.canParse(url)) return { host: hostnameOf(headers.host), path: url }
  return { host: hostnameOf(authority.replace(/^.*@/, '')), path: path?.startsWith('/') ? path : `/${path ?? ''}` }
}

/**
 * Whether a request means another name than those of the listener. One without a name is a check by a server in front, or
 * HTTP/1.0: a browser, against which the names are there, always sends one.
 */
export function isForeign(host: string, names: ReadonlySet<string> | undefined): boolean {
  return names !== undefined && host !== '' && !names.has(host)
}

/** The name in a Host header, without its port. */
function hostnameOf(host = ''): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}
