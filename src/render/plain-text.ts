import { stripVTControlCharacters } from 'node:util'

/**
 * Characters that steer a terminal or turn text around: C0, DEL and C1 controls, bidirectional marks, embeddings,
 * overrides and isolates, the zero-width and tag characters that hide text, and line separators.
 */
const live =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

/**
 * Text safe for one line of a terminal: whole escape sequences and other live characters are removed, white space becomes
 * a blank.
 */
export function plainText(text: string): string {
  const bare = /[\u001b\u009b]/.test(text) ? stripVTControlCharacters(text) : text
  return bare.replace(live, (character) => (character === '\n' || character === '\t' || character === '\r' ? ' ' : ''))
}

/** The same for text of several lines: line feeds stay. */
export function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n')
}

/** Any JSON value as one safe line: text as it is, the rest as compact JSON; nothing for `null` and `undefined`. */
export function plainValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return plainText(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return plainText(JSON.stringify(value))
}

const unprintable = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** JSON text in which DEL, C1 and bidirectional controls are escaped too: still the same value to every parser. */
export function safeJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
