import type { RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { urlToHttpOptions } from 'node:url'
import { ConnectionError } from '../shared/dlv-error.js'
import { proxyFailure, refusedTunnel, type TunnelTarget } from '../shared/proxy/proxy-error.js'
import { authorizationOf, type ForwardProxy, type ProxyEnvironment, proxyFor } from '../shared/proxy/proxy-for.js'
import { openTunnel, secureTunnel, socketTo } from '../shared/proxy/tunnel.js'

/** What a post through a proxy is opened with. */
interface Exchange {
  timeoutMs: number
  signal?: AbortSignal | undefined
  ca?: string | undefined
  trustAnyone?: boolean
}

/** The way of a request through a proxy. */
export interface ProxiedWay {
  /** For `http.request`: TLS to the target, if any, is set up already. */
  options: RequestOptions
  /** The failure behind a response of the proxy itself; `undefined` if the response is the target's. */
  refusal(response: { statusCode?: number | undefined; headers: Record<string, unknown> }): ConnectionError | undefined
}

/** Passwords that a proxy refused: asked again and again, it locks the account. */
const refusedPasswords = new Map<string, ConnectionError>()

/** No limit of a post is none for a proxy that accepts and never answers. */
const longestOpeningMs = 30_000

/**
 * Connects to a proxy that the variables name for an address: a tunnel for https and through SOCKS, the proxy itself for
 * http. `undefined` for this machine, by whichever of its addresses, and where no proxy is meant.
 *
 * @throws ConnectionError `proxy` or `proxy-refused`: nothing was sent to the target
 * @throws UsageError for a variable that names no proxy
 */
export async function wayThroughProxy(
  url: URL,
  exchange: Exchange,
  environment: ProxyEnvironment = process.env,
): Promise<ProxiedWay | undefined> {
  const proxy = isOwnAddress(url.hostname) ? undefined : proxyFor(url.href, environment)
  if (proxy === undefined) return undefined
  const refused = refusedPasswords.get(proxy.url.href)
  if (refused !== undefined) throw refused
  const isSecure = url.protocol === 'https:'
  const { timeoutMs: limitMs, signal, ca, trustAnyone = false } = exchange
  const timeoutMs = limitMs > 0 ? Math.min(limitMs, longestOpeningMs) : longestOpeningMs
  const target = { host: url.hostname.replace(/^\[(.+)\]$/, '$1'), port: Number(url.port || (isSecure ? 443 : 80)) }
  const common = { ...urlToHttpOptions(url), protocol: 'http:', defaultPort: isSecure ? 443 : 80 }
  try {
    if (!isSecure && !proxy.url.protocol.startsWith('socks')) return await plainWay(proxy, target, url, common)
    const tunnel = await openTunnel(proxy, target, { timeoutMs, signal })
    const trust = { ca, timeoutMs, ...(trustAnyone ? { rejectUnauthorized: false } : {}) }
    const socket = isSecure ? await secureTunnel(tunnel, proxy, target, trust) : tunnel
    return { options: { ...common, createConnection: () => socket }, refusal: () => undefined }
  } catch (error) {
    if (error instanceof ConnectionError && error.status === 407) refusedPasswords.set(proxy.url.href, error)
    throw error
  }
}

async function plainWay(
  proxy: ForwardProxy,
  target: TunnelTarget,
  url: URL,
  common: RequestOptions,
): Promise<ProxiedWay> {
  const socket = await connected(proxy, target)
  const authorization = authorizationOf(proxy)
  const headers = authorization === undefined ? {} : { 'proxy-authorization': authorization }
  return {
    options: { ...common, path: `${url.origin}${url.pathname}${url.search}`, headers, createConnection: () => socket },
    refusal({ statusCode: status = 0, headers: answered }) {
      if (status !== 407) return undefined
      const refusal = refusedTunnel(proxy, target, { status, headers: answered as never, body: '' })
      refusedPasswords.set(proxy.url.href, refusal)
      return refusal
    },
  }
}

function connected(proxy: ForwardProxy, target: TunnelTarget): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = socketTo(proxy)
    const fail = (error: Error) => reject(proxyFailure(proxy, target, error))
    socket.once('error', fail)
    socket.once(proxy.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/** Whether an address belongs to this machine, which no proxy is needed to reach. */
function isOwnAddress(hostname: string): boolean {
  const address = hostname.replace(/^\[(.+)\]$/, '$1')
  return Object.values(networkInterfaces()).some((list) => list?.some((each) => each.address === address) === true)
}
