import { isLoopback } from '../../contract/index.js'

/** The variables that name proxies, in lower or upper case; the lower-case one wins, as it does for curl. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>

/**
 * The proxy for an address, or `undefined` for a direct connection. Loopback is always direct, whatever the
 * variables say: a request to this machine, key and all, has no business at a proxy.
 */
export function proxyFor(address: string, environment: ProxyEnvironment): string | undefined {
  const url = new URL(address)
  const read = (name: string) => environment[name] ?? environment[name.toUpperCase()]
  const proxy = url.protocol === 'https:' ? (read('https_proxy') ?? read('all_proxy')) : read('http_proxy')
  if (proxy === undefined || proxy === '' || isLoopback(url.hostname)) return undefined
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  if (isExempt(url.hostname, port, read('no_proxy') ?? '')) return undefined
  return proxy.includes('://') ? proxy : `http://${proxy}`
}

/** `NO_PROXY`: names separated by commas or spaces, matching themselves and their subdomains; `*` matches all. */
function isExempt(hostname: string, port: string, exemptions: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[(.+)\]$/, '$1')
  return exemptions
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, bracketed, plain, entryPort] = /^(?:\[(.+)\]|(.+?))(?::(\d+))?$/.exec(entry) ?? []
      const isBareIpv6 = bracketed === undefined && (entry.match(/:/g)?.length ?? 0) > 1
      const name = (isBareIpv6 ? entry : (bracketed ?? plain ?? entry)).replace(/^\*?\./, '')
      if (!isBareIpv6 && entryPort !== undefined && entryPort !== port) return false
      return name === '*' || host === name || host.endsWith(`.${name}`)
    })
}
