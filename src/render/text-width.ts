import { withoutSequences } from './plain-text.js'

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
