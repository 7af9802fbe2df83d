import { lookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { ConnectionError } from '../../contract/index.js'
import { isPrivateAddress } from '../../shared/private-address.js'
import { isLoopback } from '../../shared/web-address.js'

/** A file being downloaded: its type, and its bytes as they arrive. */
export interface Download {
  contentType: string
  body: AsyncIterable<Uint8Array>
}

/** Opens a download, without the API key, because the URL may lead anywhere. */
export type OpenDownload = (address: string, signal: AbortSignal, userAgent?: string) => Promise<Download>

/** The verbs of the two ways to an address, for an error: the service names the first, an answer the next. */
type Way = 'leads' | 'redirects'

const maxRedirects = 5

/**
 * Opens downloads from the network that a service names. Neither their first address nor a redirect may lead to another
 * origin on this machine or in a private network, by name or by address, which the service itself could not reach. Nor
 * from https to http.
 *
 * @throws ProofNotFoundError if there is no such file; ConnectionError for anything else but a 2xx
 */
export function downloadFromNetwork(baseUrl: string): OpenDownload {
  const service = new URL(baseUrl)
  return async (address, signal, userAgent = 'dlv') => {
    const first = webAddress(address, address)
    assertReachable(service, first, address, 'leads')
    return followed(first, service.origin, address, signal, userAgent)
  }
}

async function followed(
  first: URL,
  trusted: string,
  address: string,
  signal: AbortSignal,
  userAgent: string,
): Promise<Download> {
  let url = first
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, signal, redirects === 0 ? 'leads' : 'redirects')
    const { statusCode = 0, headers } = response
    const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined
    if (!isRedirect && statusCode >= 200 && statusCode < 300)
      return { contentType: headers['content-type'] ?? '', body: response }
    response.destroy()
    if (isGone(statusCode)) throw new ProofNotFoundError(address)
    if (!isRedirect) throw failure(address, 'other', `the answer is ${statusCode}`)
    if (redirects === maxRedirects) throw failure(address, 'redirect', `it redirects more than ${maxRedirects} times`)
    url = redirected(url, headers.location ?? '', address)
  }

  /** Rejects private addresses that a name resolves to, when the connection is made. */
  function get(target: URL, abort: AbortSignal, way: Way): Promise<IncomingMessage> {
    const start = target.protocol === 'https:' ? httpsRequest : httpRequest
    const isElsewhere = target.origin !== trusted
    return new Promise((resolve, reject) => {
      const options = {
        agent: false as const,
        signal: abort,
        headers: {
          accept: 'image/*, application/pdf, */*;q=0.1',
          'accept-encoding': 'identity',
          'user-agent': userAgent,
        },
        ...(isElsewhere ? { lookup: publicLookup(address, way) } : {}),
      }
      start(target, options, resolve).on('error', reject).end()
    })
  }
}

/** Opens downloads of the sandbox in this process, whatever host their URLs name. */
export function downloadFromSandbox(sandbox: { fetch(request: Request): Promise<Response> }): OpenDownload {
  return async (address, signal, userAgent = 'dlv') => {
    const headers = { 'user-agent': userAgent }
    const response = await sandbox.fetch(new Request(webAddress(address, address).href, { signal, headers }))
    if (isGone(response.status)) throw new ProofNotFoundError(address)
    if (!response.ok || response.body === null) throw failure(address, 'other', `the answer is ${response.status}`)
    return { contentType: response.headers.get('content-type') ?? '', body: response.body }
  }
}

function webAddress(text: string, address: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw failure(address, 'other', 'it is not a web address')
  return new URL(text)
}

function redirected(from: URL, location: string, address: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  if (to === undefined || !/^https?:$/.test(to.protocol))
    throw failure(address, 'redirect', 'it redirects to no web address')
  assertReachable(from, to, address, 'redirects')
  return to
}

/** @throws ConnectionError for an address that may not follow from where it was named */
function assertReachable(from: URL, to: URL, address: string, way: Way): void {
  if (to.origin === from.origin) return
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw failure(address, 'redirect', `it ${way} from https to ${to.origin}`)
  if (isLoopback(to.hostname) || isPrivateAddress(to.hostname)) throw privateTarget(address, to.origin, way)
}

/** Resolves a name, and fails if it leads to this machine or a private network. */
function publicLookup(address: string, way: Way): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map((entry) => entry.address)
      const isPrivate = addresses.some(isPrivateAddress)
      callback(error ?? (isPrivate ? privateTarget(address, hostname, way) : null), found, family)
    })
  }
}

function privateTarget(address: string, target: string, way: Way): ConnectionError {
  return failure(address, 'redirect', `it ${way} to ${target}, which is on this machine or in a private network`)
}

const isGone = (status: number) => status === 404 || status === 410

/** The error for a proof whose URL has no file. */
export class ProofNotFoundError extends ConnectionError {
  constructor(address: string) {
    super(`The proof at ${address.slice(0, 200)} was not found.`, { reason: 'other', status: 404 })
  }
}

/** The error for a proof that cannot be downloaded. */
export function failure(
  address: string,
  reason: ConnectionError['reason'],
  why: string,
  cause?: unknown,
): ConnectionError {
  return new ConnectionError(`Cannot fetch the proof at ${address.slice(0, 200)}: ${why}.`, { reason, cause })
}
