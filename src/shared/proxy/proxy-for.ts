import { BlockList, isIP } from 'node:net'
import { UsageError } from '../dlv-error.js'
import { isLoopback } from '../web-address.js'

/** The variables that name proxies, in lower or upper case; the lower-case one wins, as it does for curl. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>

/** A forward proxy that a variable names. */
export interface ForwardProxy {
  /** Its address, credentials included. */
  url: URL
  /** Its name and port, for messages. */
  host: string
  /** Its port, also if it is the scheme's default. */
  port: number
  /** The variable that names it, as it is spelled in the environment. */
  variable: string
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080, 'socks:': 1080 }

/**
 * The proxy for an address, or `undefined` for a direct connection. Loopback is always direct, whatever the
 * variables say: a request to this machine, key and all, has no business at a proxy.
 *
 * @throws UsageError for a value that names no proxy; it names the variable and never shows a password
 */
export function proxyFor(address: string, environment: ProxyEnvironment): ForwardProxy | undefined {
  const url = new URL(address)
  const isSecure = url.protocol === 'https:'
  const variable = ['https_proxy', 'all_proxy'].slice(0, isSecure ? 2 : 0)
  if (!isSecure) variable.push('http_proxy')
  const [name] = variable
    .flatMap((each) => [each, each.toUpperCase()])
    .filter((each) => environment[each] !== undefined)
  const value = name === undefined ? '' : (environment[name]?.trim() ?? '')
  if (name === undefined || value === '' || isLoopback(url.hostname)) return undefined
  const port = Number(url.port || (isSecure ? 443 : 80))
  const exemptions = environment.no_proxy ?? environment.NO_PROXY ?? ''
  if (isExempt(url.hostname, port, exemptions)) return undefined
  return parseProxy(value, name)
}

/** @throws UsageError for what is not the address of a proxy */
function parseProxy(value: string, variable: string): ForwardProxy {
  const text = value.includes('://') ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  const [scheme = ''] = text.split('://')
  if (url === undefined) throw unusable(variable, `is not the address of a proxy: ${faultIn(text)}`)
  const defaultPort = defaultPorts[url.protocol]
  if (defaultPort === undefined) {
    const remedy = /^socks/i.test(scheme)
      ? 'Write socks5://HOST:PORT: the proxy resolves the name, as with socks5h.'
      : undefined
    throw unusable(variable, `names a proxy by "${scheme}:", which is not supported`, remedy)
  }
  if (url.hostname === '') throw unusable(variable, 'names no host')
  const port = Number(url.port || defaultPort)
  return { url, host: `${url.hostname}:${port}`, port, variable }
}

/** What is wrong, without the part that may be a password. */
function faultIn(text: string): string {
  const authority = text.slice(text.indexOf('://') + 3)
  const address = authority.slice(authority.lastIndexOf('@') + 1)
  if (authority.includes('@')) return 'the part behind "@" has to be HOST:PORT, special characters before it escaped'
  return /:[^:]*:/.test(address) || /%/.test(address) ? 'expected HOST:PORT' : 'check its host and port'
}

/** The user name and password of a proxy as they are, or `undefined`; a "%" that begins no escape stands for itself. */
export function credentialsOf({ url }: Pick<ForwardProxy, 'url'>): { user: string; password: string } | undefined {
  if (url.username === '' && url.password === '') return undefined
  return { user: decoded(url.username), password: decoded(url.password) }
}

/** The header that says them; `undefined` if there are none. */
export function authorizationOf(proxy: Pick<ForwardProxy, 'url'>): string | undefined {
  const credentials = credentialsOf(proxy)
  return credentials && `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    return text
  }
}

function unusable(
  variable: string,
  fault: string,
  remedy = 'Expected http://HOST:PORT, or https:// or socks5://.',
): UsageError {
  return new UsageError(`${variable} ${fault}`, {
    hint: `${remedy} A user name and password go before the host: http://USER:PASSWORD@HOST:PORT. NO_PROXY lists what is reached directly.`,
  })
}

/**
 * Whether `NO_PROXY` exempts a host: names separated by commas or spaces, matching themselves and their subdomains,
 * addresses, networks such as `10.0.0.0/8` and `fd00::/8`, each with a port if only that port is meant; `*` matches all.
 */
function isExempt(hostname: string, port: number, exemptions: string): boolean {
  const host = bareHost(hostname)
  return exemptions
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), host, port))
}

/** A host in lower case, without brackets and without the dot that ends a full name. */
function bareHost(text: string): string {
  return text
    .toLowerCase()
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/\.$/, '')
}

function matches(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true
  const { name, ownPort } = splitPort(entry)
  if (ownPort !== undefined && ownPort !== port) return false
  if (name.includes('/')) return isInNetwork(name, host)
  const bare = bareHost(name.replace(/^\*?\./, ''))
  if (isIP(bare) !== 0 || isIP(host) !== 0) return isSameAddress(bare, host)
  return bare === '*' || host === bare || host.endsWith(`.${bare}`)
}

/** An address of IP version 6 has colons of its own, and a port only behind brackets. */
function splitPort(entry: string): { name: string; ownPort?: number } {
  const isAddress = !entry.startsWith('[') && entry.split(':').length > 2
  const [, name, port] = isAddress ? [] : (/^(\[.+\](?:\/\d+)?|[^:]+):(\d+)$/.exec(entry) ?? [])
  return name === undefined ? { name: entry } : { name, ownPort: Number(port) }
}

function isInNetwork(network: string, host: string): boolean {
  const [address = '', bits = ''] = network.replace(/[[\]]/g, '').split('/')
  const family = isIP(address)
  if (family === 0 || isIP(host) === 0 || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6')
  return list.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6')
}

/** Whether two texts are one address: `::1` and `0:0:0:0:0:0:0:1` are. */
function isSameAddress(one: string, other: string): boolean {
  const family = isIP(one)
  if (family === 0 || isIP(other) !== family) return false
  return isInNetwork(`${one}/${family === 4 ? 32 : 128}`, other)
}
