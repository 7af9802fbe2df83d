import { BlockList, isIP } from 'node:net'

const ranges: readonly (readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
]

let known: BlockList | undefined

/**
 * Whether an IP address is this machine or in a network that only its members reach: loopback, link-local (where clouds
 * keep their metadata), private and shared ranges, including IPv4 in IPv6. `false` for a name.
 */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '')
  const family = isIP(bare)
  if (family === 0) return false
  known ??= blockList()
  return known.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}

function blockList(): BlockList {
  const list = new BlockList()
  for (const [network, prefix, family] of ranges) list.addSubnet(network, prefix, family)
  return list
}
