import { isLoopback } from '../../contract/index.js'
import { Refusal } from '../core/refusal.js'
import type { HttpExchange } from '../http/exchange.js'

/**
 * Steering is for this machine alone. A web page that a browser has open is on this machine too: what gives it away is
 * the name that it calls (after a rebinding of its own), or its `Origin`.
 */
export function refuseForeignCaller(exchange: HttpExchange): void {
  if (exchange.address === undefined) return // called in this process, by no socket
  const origin = exchange.header('origin')
  const isLocal =
    isLoopback(exchange.address) &&
    isLoopback(hostOf(`http://${exchange.header('host') ?? ''}`)) &&
    (origin === undefined || isLoopback(hostOf(origin)))
  if (!isLocal) {
    throw new Refusal('SANDBOX_ONLY', 'The sandbox is controlled only from this machine, by a loopback name.', {
      details: { host: exchange.header('host') ?? null, origin: origin ?? null },
    })
  }
}

/**
 * A sandbox on loopback answers to the names of loopback and to its public address, and to no web page from elsewhere:
 * its keys are known to everyone. One that is reached at another address has been put there on purpose.
 */
export function refuseForeignName(exchange: HttpExchange, publicUrl: () => string): void {
  if (exchange.reachedAt === undefined || !isLoopback(exchange.reachedAt)) return
  const host = exchange.header('host') ?? ''
  const origin = exchange.header('origin')
  if (plainLoopback.test(host) && origin === undefined) return
  const isOwn = (name: string) => isLoopback(name) || name === hostOf(publicUrl())
  if (isOwn(hostOf(`http://${host}`)) && (origin === undefined || isOwn(hostOf(origin)))) return
  throw new Refusal('SANDBOX_ONLY', 'This sandbox listens on loopback and answers only to a loopback name.', {
    details: { host, origin: origin ?? null },
  })
}

/** The two names that nearly every request has. */
const plainLoopback = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}
