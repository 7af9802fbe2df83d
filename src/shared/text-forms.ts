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

/** A text for comparison: case, accents, apostrophes, kinds of hyphens, width and runs of spaces do not matter. */
export function foldedText(text: string): string {
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
