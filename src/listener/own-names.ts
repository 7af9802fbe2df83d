import { isIP } from 'node:net'
import { isLoopback } from '../shared/web-address.js'

/** Names by which a listener on loopback may be addressed; any other name indicates DNS rebinding. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '::1']

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::'

/**
 * The names that requests may be addressed to, as a Host header has them: on the loopback only those that mean it, so
 * that no web page can reach it by a rebound name. `undefined` for any.
 */
export function acceptedHosts(host: string, allowed: readonly string[] = []): ReadonlySet<string> | undefined {
  if (!isLoopback(host) && allowed.length === 0) return undefined
  return new Set([...[...loopbackNames, host].map(bracketed), ...allowed.map(nameOf)])
}

/** The name in what people give for one: a whole address, or a name with a port, as they have it in the browser. */
function nameOf(given: string): string {
  return given
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .replace(/:\d+$/, '')
}

/** The name under which a listener reaches itself. */
export function reachableName(host: string): string {
  if (isEverywhere(host)) return host === '::' ? '[::1]' : '127.0.0.1'
  return bracketed(host)
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}
