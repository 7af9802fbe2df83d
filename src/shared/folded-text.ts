/** A text for comparison: case, width and runs of spaces do not matter. */
export function foldedText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
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
