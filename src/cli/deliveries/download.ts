import { lookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { ConnectionError } from '../../contract/index.js'
import { isLoopback } from '../../shared/loopback.js'
import { isPrivateAddress } from '../../shared/private-address.js'

/** A file being downloaded: its type, and its bytes as they arrive. */
export interface Download {
  contentType: string
  body: AsyncIterable<Uint8Array>
}

/** Opens a download, without the API key, because the URL may lead anywhere. */
export type OpenDownload = (address: string, signal: AbortSignal, userAgent?: string) => Promise<Download>

const maxRedirects = 5

/**
 * Opens a download from the network. Follows redirects, but not to another origin on this machine or in a private
 * network, by name or by address, which the service itself could not reach. Nor from https to http.
 *
 * @throws ProofNotFoundError if there is no such file; ConnectionError for anything else but a 2xx
 */
export const downloadFromNetwork: OpenDownload = async (address, signal, userAgent = 'dlv') => {
  let url = webAddress(address, address)
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, signal, redirects > 0)
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

  /** `guarded` rejects private addresses that a name resolves to, when the connection is made. */
  function get(target: URL, abort: AbortSignal, guarded: boolean): Promise<IncomingMessage> {
    const start = target.protocol === 'https:' ? httpsRequest : httpRequest
    const isElsewhere = guarded && target.origin !== new URL(address).origin
    return new Promise((resolve, reject) => {
      const options = {
        agent: false as const,
        signal: abort,
        headers: {
          accept: 'image/*, application/pdf, */*;q=0.1',
          'accept-encoding': 'identity',
          'user-agent': userAgent,
        },
        ...(isElsewhere ? { lookup: publicLookup(address) } : {}),
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
  if (to.origin === from.origin) return to
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw failure(address, 'redirect', `it redirects from https to ${to.origin}`)
  if (isLoopback(to.hostname) || isPrivateAddress(to.hostname)) throw privateTarget(address, to.origin)
  return to
}

/** Resolves a name, and fails if it leads to this machine or a private network. */
function publicLookup(address: string): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map((entry) => entry.address)
      const isPrivate = addresses.some(isPrivateAddress)
      callback(error ?? (isPrivate ? privateTarget(address, hostname) : null), found, family)
    })
  }
}

function privateTarget(address: string, target: string): ConnectionError {
  return failure(address, 'redirect', `it redirects to ${target}, which is on this machine or in a private network`)
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
