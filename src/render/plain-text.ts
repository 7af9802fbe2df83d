/**
 * Terminal escape sequences: strings such as a link's address (OSC), then everything else that ends with a letter or
 * digit (CSI). `stripVTControlCharacters` of Node 22 takes some addresses for text, and that of later Nodes reads to the
 * end of the text from every string that does not end. Here, a string ends at the next escape at the latest.
 */
const sequences =
  /\u001b\][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|[\u001b\u009b][[\]()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/g

/** A text without its escape sequences, such as colours and links. */
export function withoutSequences(text: string): string {
  return text.replace(sequences, '')
}

/**
 * Characters that control a terminal or reorder text: C0, DEL and C1 controls, bidirectional marks, embeddings,
 * overrides and isolates, zero-width and tag characters that hide text, and line separators.
 */
const live =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

/** Nothing but visible ASCII and spaces, as most cells of most lists: quicker to tell than what is to be removed. */
const visible = /^[ -~]*$/

/**
 * Makes a string safe for one line of a terminal: removes escape sequences and control characters, and turns line breaks
 * and tabs into spaces.
 */
export function plainText(text: string): string {
  if (visible.test(text)) return text
  return withoutSequences(text).replace(live, (character) => (/[\n\t\r]/.test(character) ? ' ' : ''))
}

/** Makes text of several lines safe for a terminal: like `plainText`, but keeps line feeds. */
export function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n')
}

/** Makes laid-out text safe for a terminal: like `plainText`, but keeps line feeds and tabs. */
export function plainLayout(text: string): string {
  return withoutSequences(text).replace(live, (character) =>
    character === '\n' || character === '\t' ? character : '',
  )
}

/** A JSON value as one safe line: strings unquoted, others as compact JSON, empty for `null` and `undefined`. */
export function plainValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return plainText(value)
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  return plainText(JSON.stringify(value))
}

const unprintable = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** JSON in which DEL, C1 and bidirectional controls are escaped too. It parses to the same value. */
export function safeJson(value: unknown, indent?: number): string {
  return safeJsonText(JSON.stringify(value, null, indent) ?? 'null')
}

/** Escapes DEL, C1 and bidirectional controls in JSON text; it still parses to the same value. */
export function safeJsonText(text: string): string {
  // Most JSON is ASCII, which is quicker to tell by its length than by a search for each of these characters.
  if (Buffer.byteLength(text) === text.length && !text.includes('\u007f')) return text
  return text.replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
