/** The text with a full stop, unless it is a whole sentence already. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** C0, DEL, C1 and bidirectional controls: characters that could steer a terminal or disguise text. */
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Text from elsewhere made safe for a message: controls become `\u001b`-style escapes. */
export function escapeControls(text: string): string {
  return text.replace(controls, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A word such as a request id, which most of what is quoted is. */
const isPlain = /^[\x21-\x7e]*$/

/** The beginning of a body in one short line, white space collapsed and controls escaped. */
export function excerpt(body: Uint8Array | string, maxLength = 120): string {
  if (typeof body === 'string' && body.length <= maxLength && isPlain.test(body)) return body
  const head = typeof body === 'string' ? body.slice(0, 2_000) : new TextDecoder().decode(body.subarray(0, 2_000))
  const line = escapeControls(head.replace(/\s+/g, ' ').trim())
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text made safe for HTML and SVG, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Cents as an amount of a currency with two places: `2,104.50`. */
export function amountText(cents: number): string {
  const whole = String(Math.trunc(Math.abs(cents) / 100)).replace(/\B(?=(?:\d{3})+$)/g, ',')
  return `${cents < 0 ? '-' : ''}${whole}.${String(Math.abs(cents) % 100).padStart(2, '0')}`
}

/** `4-6, 9` of ascending numbers, at most ten of such ranges. */
export function rangesText(numbers: readonly number[]): string {
  const ranges: [from: number, to: number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  const texts = ranges.slice(0, 10).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
  return `${texts.join(', ')}${ranges.length > 10 ? ', …' : ''}`
}

/**
 * The function, with its last results remembered: the rows of a sheet have the same few cities, and a table asks for the
 * same few paths in each row.
 */
export function remembering<Result>(of: (text: string) => Result, most = 1_000): (text: string) => Result {
  const results = new Map<string, Result>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    if (results.size === most) results.clear()
    const result = of(text)
    results.set(text, result)
    return result
  }
}

/** Characters that show nothing at the edge of a value: spaces, line breaks, zero widths, direction marks, blank letters. */
const blank = /[\s\u0085\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u2800\u3164\uffa0]/

/**
 * A value without the white space around it, which is no part of it: the one rule for cells, JSON, flags, answers, ids and
 * names. Spreadsheets and copied text leave spaces, no-break spaces, line breaks and invisible marks there, and an order
 * whose reference differs only by them would be dispatched twice.
 */
export function trimmed(text: string): string {
  let start = 0
  let end = text.length
  // By character, because a pattern that is anchored at the end takes quadratic time for a long gap within a text.
  while (start < end && isBlankAt(text, start)) start++
  while (end > start && isBlankAt(text, end - 1)) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

function isBlankAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code > 0x20 && code < 0x7f ? false : blank.test(text.charAt(at))
}

/** Letters that Unicode does not take apart, as people type them without their marks. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
  ħ: 'h',
}

const isAscii = /^[\0-\x7f]*$/

/** A text for comparison: case, accents, apostrophes, kinds of hyphens, width and runs of spaces do not matter. */
export function foldedText(text: string): string {
  const lower = text.toLowerCase()
  if (isAscii.test(lower))
    return lower
      .replace(/['\u0060]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
  return text
    .replace(/['\u0060\u00b4\u02b9-\u02bd\u02c8\u2018-\u201b\u2032\u2035\uff07]/g, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđðłıþħ]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
}

/** A text that is looked for, folded. */
export interface SearchText {
  text: string
  /** Its digits, if it looks like a part of a phone number. */
  digits?: string | undefined
}

/** Reads a text that is looked for; `undefined` if it is blank. */
export function searchTextOf(given: string): SearchText | undefined {
  const text = foldedText(given)
  if (text === '') return undefined
  const digits = given.replace(/\D/g, '')
  return { text, digits: /^[+\d\s().-]+$/.test(given) && digits.length >= 3 ? digits : undefined }
}
