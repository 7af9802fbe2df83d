import { UsageError } from './dlv-error.js'

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

/**
 * A whole http or https address; `undefined` for every other text. An @ behind the host is refused too: it is most likely
 * the end of a password that holds a slash, of which a part would be taken for the host, the port or the path.
 */
export function webAddress(text: string): URL | undefined {
  const isPlain = /^https?:\/\/[^/\\?#\s]+(?:[/\\?#][^@\s]*)?$/i.test(text)
  return isPlain && URL.canParse(text) ? new URL(text) : undefined
}

/**
 * A whole http or https address.
 *
 * @param name what it is to the user, such as `--to`
 * @throws UsageError that repeats the text only if it is one plain word: anything else may hold a password
 */
export function parseWebAddress(text: string, name: string, example = 'http://localhost:3000/hooks'): URL {
  const url = webAddress(text)
  // The name of a target, as lists print it: without its query it would be another receiver.
  if (url !== undefined && /^#[0-9a-f]{6}$/.test(url.hash))
    throw new UsageError(`${name} needs the whole address: ${shownUrl(text)}${url.hash} is the name of a target.`, {
      hint: 'A name hides user, password and query, and ends with a mark of them.',
    })
  if (url !== undefined) return url
  const got = /^[\w.-]{1,60}$/.test(text) ? `, got "${text}"` : ''
  throw new UsageError(`${name} must be a URL such as ${example}${got}.`, {
    hint: text.includes('@') ? 'Write / ? # @ and % in it as %2F %3F %23 %40 and %25.' : undefined,
  })
}

/** An address as output, records and metrics show it: without user, password, query and fragment. */
export function shownUrl(text: string): string {
  const url = webAddress(text)
  return url === undefined ? 'an address that cannot be read' : url.origin + url.pathname
}
