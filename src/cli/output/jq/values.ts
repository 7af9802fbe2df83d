import { plainLayout, safeJsonText } from '../../../render/plain-text.js'

/**
 * Turns the output of `jq -c` into what is printed: strings raw, other values as JSON. A value is printed while jq still
 * writes it, because its text can be much larger than the value in memory.
 */
export class Values {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  private kind: 'string' | 'other' | undefined
  private held = ''

  /** For a terminal, control characters are removed from strings. */
  constructor(private readonly terminal: boolean) {}

  /** Takes the next bytes and returns what can be printed so far. */
  take(bytes: Uint8Array): string {
    let text = this.held + this.decoder.decode(bytes, { stream: true })
    let printed = ''
    this.held = ''
    while (text !== '') {
      const end = text.indexOf('\n')
      if (this.kind === undefined) {
        this.kind = text.startsWith('"') ? 'string' : 'other'
        if (this.kind === 'string') text = text.slice(1)
        continue
      }
      const isString = this.kind === 'string'
      if (end !== -1) {
        printed += isString ? this.bare(text.slice(0, end - 1)) : safeJsonText(text.slice(0, end))
        printed += '\n'
        text = text.slice(end + 1)
        this.kind = undefined
        continue
      }
      const until = isString ? wholeLength(text) : text.length
      printed += isString ? this.bare(text.slice(0, until)) : safeJsonText(text)
      this.held = text.slice(until)
      text = ''
    }
    return printed
  }

  /** Decodes a piece of a JSON string. */
  private bare(piece: string): string {
    const text: string = JSON.parse(`"${piece}"`)
    return this.terminal ? plainLayout(text) : text
  }
}

/** The length of the text without an incomplete escape, and without a quote that may end the string. */
function wholeLength(text: string): number {
  const last = text.lastIndexOf('\\')
  const before = /\\*$/.exec(text.slice(0, last + 1))?.[0].length ?? 0
  const isOpen = before % 2 === 1
  const escapeEnd = isOpen ? last + (text[last + 1] === 'u' ? 6 : 2) : last + 1
  if (escapeEnd > text.length) return last
  return text.endsWith('"') && escapeEnd < text.length ? text.length - 1 : text.length
}
