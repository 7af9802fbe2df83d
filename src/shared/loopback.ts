/**
 * Whether a host is certainly this machine: `localhost`, 127.0.0.0/8 and `::1`, spelled as in a URL or by a socket,
 * including IPv4 in IPv6. A name under `.localhost` is not: some resolvers ask the network where it is.
 */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/^::ffff:/, '')
    .replace(/\.$/, '')
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name)
}

/** Whether a request that arrived at this machine may call it so: a name under `.localhost` has then resolved to it. */
export function isLoopbackName(host: string): boolean {
  return isLoopback(host) || host.toLowerCase().endsWith('.localhost')
}

/** An address to listen on, as programs print it or as systems take it: `[::1]` is `::1`. */
export function boundHost(host: string): string {
  return host.replace(/^\[([\da-f:.%\w]+)\]$/i, '$1')
}
