import { isLoopback, isLoopbackName } from '../../shared/web-address.js'
import { Refusal } from '../core/refusal.js'
import type { HttpExchange } from '../http/exchange.js'

/** Names under which a sandbox may be called beyond those of loopback, in lower case: `sandbox` in a container network. */
type AllowedHosts = ReadonlySet<string>

/**
 * Steering is only for this machine, and for callers of an allowed name. A web page that a browser has open is on this
 * machine too: what gives it away is the name that it calls (after a rebinding of its own), or its `Origin`, which only
 * a page of the sandbox itself shares with it. Another server on this machine may serve somebody's page.
 */
export function refuseForeignCaller(exchange: HttpExchange, allowed: AllowedHosts): void {
  if (exchange.address === undefined) return // called in this process, by no socket
  const host = hostOf(`http://${exchange.header('host') ?? ''}`)
  const origin = exchange.header('origin')
  const isNamed = allowed.has(host) || (isLoopback(exchange.address) && isLoopbackName(host))
  const isOwnPage = isOwnOrigin(origin, exchange.header('host'))
  // A container's port is rarely the one that its pages are published at.
  const isAllowedPage = allowed.has(host) && hostOf(origin ?? '') === host
  if (isNamed && (origin === undefined || isOwnPage || isAllowedPage)) return
  throw new Refusal('SANDBOX_ONLY', 'The sandbox is controlled only from this machine, by a loopback name.', {
    details: { host: exchange.header('host') ?? null, origin: origin ?? null },
  })
}

/**
 * A sandbox answers to the names of loopback, to its public address and to allowed names, and to no web page from
 * elsewhere, at whatever address it is reached: its keys are known to everyone, and a page can give this machine, or a
 * port that a container publishes on it, a name of its own.
 */
export function refuseForeignName(exchange: HttpExchange, allowed: AllowedHosts, publicUrl: () => string): void {
  if (exchange.address === undefined) return
  const host = exchange.header('host') ?? ''
  const origin = exchange.header('origin')
  if (plainLoopback.test(host) && origin === undefined) return
  const isOwn = (name: string) => isLoopbackName(name) || allowed.has(name) || name === hostOf(publicUrl())
  if (isOwn(hostOf(`http://${host}`)) && (origin === undefined || isOwn(hostOf(origin)))) return
  throw new Refusal(
    'SANDBOX_ONLY',
    'This sandbox answers only to loopback names and to those that it was started with.',
    {
      details: { host, origin: origin ?? null },
    },
  )
}

/** The two names that nearly every request has. */
const plainLoopback = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/

function isOwnOrigin(origin = '', host = ''): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : ''
}
