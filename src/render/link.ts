import type { Style } from './style.js'

/** A longer address is not a tracking page. */
const longest = 2_000

/**
 * A text that leads to a web page where the terminal can show that (OSC 8); otherwise the text. An address that is
 * masked, or not of the web, does not become a link.
 */
export function link(style: Pick<Style, 'links' | 'unservedPages'>, text: string, address: unknown): string {
  if (style.links !== true || style.unservedPages === true || text === '' || typeof address !== 'string') return text
  if (address.length > longest || address.includes('*') || !URL.canParse(address)) return text
  const { protocol, href } = new URL(address)
  // The parser has escaped what could end the sequence.
  return /^https?:$/.test(protocol) ? `\u001b]8;;${href}\u0007${text}\u001b]8;;\u0007` : text
}
