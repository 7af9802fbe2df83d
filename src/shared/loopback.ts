/**
 * Whether a host is certainly this machine: `localhost` and names below it, 127.0.0.0/8 and `::1`, spelled as in a URL
 * or by a socket, including IPv4 in IPv6.
 */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/^::ffff:/, '')
    .replace(/\.$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name)
}
