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
