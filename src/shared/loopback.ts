/**
 * Whether a host is this machine and nothing else: `localhost` and the names below it, 127.0.0.0/8 and `::1`, written
 * as a URL has them or as a socket does, IPv4 inside IPv6 included.
 */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/^::ffff:/, '')
    .replace(/\.$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name)
}
