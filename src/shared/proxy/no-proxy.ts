import { BlockList, isIP } from 'node:net'

/**
 * Whether `NO_PROXY` exempts a host: names separated by commas or spaces, matching themselves and their subdomains,
 * addresses, networks such as `10.0.0.0/8` and `fd00::/8`, each with a port if only that port is meant; `*` matches all.
 */
export function isExempt(hostname: string, port: number, exemptions: string): boolean {
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
