import type { Style } from './style.js'

let segmenter: Intl.Segmenter | undefined

/** The characters as a reader sees them. The segmenter is created on first use, because that takes milliseconds. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

const ascii = /^[\u0020-\u007e]*$/
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})/u

function graphemeWidth(grapheme: string): 1 | 2 {
  return wide.test(grapheme) ? 2 : 1
}

/** The width of a text on a terminal without its colours: two columns for East Asian wide characters and emoji. */
export function textWidth(text: string): number {
  const bare = withoutSequences(text)
  if (ascii.test(bare)) return bare.length
  let width = 0
  for (const { segment } of graphemesOf(bare)) width += graphemeWidth(segment)
  return width
}

/** Cuts a text without colours to a width, with an ellipsis in the last column. */
export function shorten(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  if (width <= 1) return width === 1 ? '…' : ''
  let kept = ''
  let used = 0
  for (const { segment } of graphemesOf(text)) {
    const next = graphemeWidth(segment)
    if (used + next > width - 1) break
    kept += segment
    used += next
  }
  return `${kept.trimEnd()}…`
}

/** Cuts a text without colours to a width in its middle, because references differ at their end. */
export function shortenMiddle(text: string, width: number): string {
  if (textWidth(text) <= width || width < 5) return shorten(text, width)
  const characters = Array.from(graphemesOf(text), ({ segment }) => segment)
  const endRoom = Math.ceil((width - 1) * 0.6)
  let end = ''
  let first = characters.length
  while (first > 0 && textWidth(`${characters[first - 1]}${end}`) <= endRoom) end = `${characters[--first]}${end}`
  return `${shorten(text, width - textWidth(end))}${end}`
}

/** Pads a text with spaces to a width, on the right or, for numbers, on the left. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'left' ? text + blanks : blanks + text
}

/** Whether a line is a command to copy, which is never wrapped. */
export function isCommand(line: string): boolean {
  return /^ *(?:dlv|chmod) /.test(line)
}

/** Wraps text at spaces into lines of at most `width` columns; a longer word gets a separate line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    for (const word of paragraph.split(/ +/)) {
      if (line === '') line = word
      else if (textWidth(line) + 1 + textWidth(word) <= width) line += ` ${word}`
      else {
        lines.push(line)
        line = word
      }
    }
    lines.push(line)
  }
  return lines
}

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

/** JSON in which DEL, C1 and bidirectional controls are escaped too. It parses to the same value as `wholeJson`. */
export function safeJson(value: unknown, indent?: number): string {
  return safeJsonText(wholeJson(value, indent))
}

/**
 * JSON without half a character, such as of a name that was cut in an emoji, which becomes U+FFFD: jq and others refuse all
 * of a text that has one.
 */
export function wholeJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replace(escaped, (text, half) => (half ? '\\ufffd' : text))
}

/** What follows a backslash in JSON; `JSON.stringify` escapes a surrogate only if it has no other half. */
const escaped = /\\(?:u(d)...|.)/g

/** Escapes DEL, C1 and bidirectional controls in JSON text; it still parses to the same value. */
export function safeJsonText(text: string): string {
  // Most JSON is ASCII, which is quicker to tell by its length than by a search for each of these characters.
  if (Buffer.byteLength(text) === text.length && !text.includes('\u007f')) return text
  return text.replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A command inside a sentence, up to the end of the sentence or clause. */
const command = /\bdlv (?:\S+ )*?\S+?(?=[.,;:!?)]*(?:$|\n)|[.,;:!?)]+ )/g
/** Stands for a space that no line may end at. */
const joiner = '\u0000'

/**
 * Sentences for a terminal, wrapped between words at its width, with what indents a line kept; a command in them stays on
 * one line, for people to copy. Elsewhere, and for those who have it read aloud, the text as it is.
 */
export function prose(text: string, { terminal, accessible, columns }: ProseStyle): string {
  if (!terminal || accessible) return text
  return text
    .split('\n')
    .flatMap((line) => wrapped(line, columns))
    .join('\n')
}

export type ProseStyle = Pick<Style, 'terminal' | 'accessible' | 'columns'>

function wrapped(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line]
  const margin = /^ */.exec(line)?.[0] ?? ''
  const room = columns - margin.length
  const joined = line.trimStart().replace(command, (words) => words.replaceAll(' ', joiner))
  return wrap(joined, room)
    .flatMap((part) => commandLines(part.replaceAll(joiner, ' '), room))
    .map((part) => margin + part)
}

/**
 * A command that a terminal below 60 columns would break inside an id: lines that a shell reads as one. Other text, and a
 * command with quoted words, which may not be broken, stays one line.
 */
export function commandLines(text: string, columns: number): string[] {
  const isWide = columns < 60 && textWidth(text) > columns && isCommand(text) && !/['"]/.test(text)
  return isWide
    ? wrap(text, columns - 2)
        .join(' \\\n')
        .split('\n')
    : [text]
}
