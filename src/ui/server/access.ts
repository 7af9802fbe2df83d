import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isLoopbackName } from '../../shared/web-address.js'
import { Refused } from './route.js'

/**
 * Refuses requests that do not come from a page of this server: another host name (DNS rebinding), or another origin.
 * Applies to every request, so that other pages cannot even find out that the server runs.
 */
export function refuseForeign({ headers }: IncomingMessage, port: number): void {
  const host = hostOf(headers.host)
  if (host === undefined || !isLoopbackName(host.name) || host.port !== port)
    throw new Refused(403, 'FOREIGN_HOST', 'This page answers only to a loopback name.')
  const { origin } = headers
  if (origin === undefined) return
  const from = URL.canParse(origin) ? new URL(origin) : undefined
  const isOwn = from?.protocol === 'http:' && isLoopbackName(from.hostname) && from.host === headers.host?.toLowerCase()
  if (!isOwn) throw new Refused(403, 'FOREIGN_ORIGIN', 'Only the page of this server may ask.')
}

/** Refuses a request without this server's token. */
export function refuseStranger({ headers }: IncomingMessage, token: string): void {
  const [scheme, given = ''] = (headers.authorization ?? '').split(' ')
  const isRight = scheme === 'Bearer' && given.length === token.length && sameText(given, token)
  if (!isRight)
    throw new Refused(401, 'UNAUTHORIZED', 'This address has no valid token.', 'Open the URL that dlv ui printed.')
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function hostOf(header: string | undefined): { name: string; port: number } | undefined {
  const url = `http://${header ?? ''}`
  if (header === undefined || !URL.canParse(url)) return undefined
  const { hostname, port } = new URL(url)
  return { name: hostname, port: port === '' ? 80 : Number(port) }
}
