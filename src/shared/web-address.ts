import { UsageError } from './dlv-error.js'

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
