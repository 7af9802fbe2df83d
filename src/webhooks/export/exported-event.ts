import { isUtf8 } from 'node:buffer'
import { isLoopback } from '../../shared/web-address.js'
import { replayableHeaders } from '../replay.js'

/** A webhook to be written down as a request, a command or a test. */
export interface ExportedEvent {
  id: string
  /** The exact bytes. */
  body: Uint8Array
  /** Names and values in turn, as they were received or signed. */
  rawHeaders: readonly string[]
  /** The address that it was posted to; by default, the one in its `Host` header. */
  url?: string | undefined
  /** Milliseconds since the epoch. */
  receivedAtMs?: number | undefined
  eventType?: string | undefined
}

/** The address if nothing is known of the receiver. */
const unknownReceiver = 'http://localhost:3000'

/** Headers that connections and the receiver's program add; a copy of the request has its own. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Headers with credentials, which a copy to be passed on must not contain. */
const credentials: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** The address that the event was posted to, by its URL or its headers. */
export function receiverUrl({ url, rawHeaders }: ExportedEvent): string {
  if (url !== undefined) return url
  const host = headerOf(rawHeaders, 'host')
  const isHost = /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(host)
  const origin = isHost ? `${schemeOf(rawHeaders, host)}://${host}` : unknownReceiver
  return new URL(pathOf(rawHeaders), origin).href
}

/** The path with the query that a webhook came by, as the listener keeps it. */
export function pathOf(rawHeaders: readonly string[]): string {
  const path = headerOf(rawHeaders, ':path')
  return /^\/(?![/\\])/.test(path) ? path : '/'
}

/** As who ended TLS says; else https, in which the service sends everything, except to this machine. */
function schemeOf(rawHeaders: readonly string[], host: string): 'http' | 'https' {
  const told = headerOf(rawHeaders, 'x-forwarded-proto').split(',')[0]?.trim().toLowerCase()
  if (told === 'http' || told === 'https') return told
  return isLoopback(host.replace(/:\d+$/, '')) ? 'http' : 'https'
}

function headerOf(rawHeaders: readonly string[], header: string): string {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === header)
  return at === -1 ? '' : (rawHeaders[at + 1] ?? '')
}

/** All headers as pairs, without those of the connection and without credentials. */
export function evidenceHeaders({ rawHeaders }: ExportedEvent): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.startsWith(':') || hopByHop.has(name.toLowerCase()) || credentials.has(name.toLowerCase())) continue
    pairs.push([name, rawHeaders[index + 1] ?? ''])
  }
  if (pairs.some(([name]) => name.toLowerCase() === 'content-type')) return pairs
  return [['content-type', 'application/json'], ...pairs]
}

/** The headers that a receiver reads, by their names in lower case: the type and the signed ones. */
export function signedHeaders({ rawHeaders }: ExportedEvent): Record<string, string> {
  return replayableHeaders(rawHeaders)
}

/** The body as text that has the same bytes, or as base64 if it is not UTF-8. */
export function exactText(body: Uint8Array): { text: string; encoding: 'utf8' | 'base64' } {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64'
  return { text: bytes.toString(encoding), encoding }
}
