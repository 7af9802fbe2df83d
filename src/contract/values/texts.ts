import { trimmed } from '../../shared/texts.js'
import { didYouMean, suggestions } from '../../shared/word-match.js'
import { cargoAttributes } from '../orders.js'
import { magicWords } from '../sandbox-words.js'
import { UsageError } from '../service-errors.js'

/** How texts of sheets, flags and JSON are read, each kind in one place. What is not in a known form is `undefined`. */

/** `3`, `3.0`, `1,234`. */
export function wholeNumberOf(text: string): number | undefined {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const bare = trimmed(text)
  if (!/^[+-]?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.0*)?$/.test(bare)) return undefined
  return Number(bare.replaceAll(',', ''))
}

/** `3`, `3.5`, `1,234.5`. */
export function numberOf(text: string): number | undefined {
  const bare = trimmed(text)
  if (!/^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?$/.test(bare)) return undefined
  return Number(bare.replaceAll(',', ''))
}

/** `TRUE`, `yes`, `1`; `FALSE`, `no`, `0`. */
export function truthOf(text: string): boolean | undefined {
  const word = trimmed(text).toLowerCase()
  if (/^(?:true|yes|y|1|on)$/.test(word)) return true
  return /^(?:false|no|n|0|off)$/.test(word) ? false : undefined
}

/** The known word that a text means, whatever its case and whatever parts it: `Return to pickup`, `CQ-DESK`. */
export function wordOf<Word extends string>(text: string, words: readonly Word[]): Word | undefined {
  if (words.includes(text as Word)) return text as Word
  const folded = foldedWord(text)
  return folded === '' ? undefined : words.find((word) => foldedWord(word) === folded)
}

function foldedWord(text: string): string {
  return text.toLowerCase().replace(/[\s_.\-\u2010-\u2015]+/g, '')
}

/** The values of a list, separated by commas, semicolons, bars, tabs or line breaks. */
export function listOf(text: string): string[] {
  return text
    .split(/[,;|\t\r\n\u2028\u2029]/)
    .map(trimmed)
    .filter((part) => part !== '')
}

type CargoWord = (typeof cargoAttributes)[number]

/** The mark of a cargo attribute that this version does not know; it is not sent. */
const newMark = /^new:\s*/i

/**
 * Cargo attributes as the contract writes them. One that it does not have is refused, because a misspelt one is delivered
 * without its checks; `new:` in front of it allows it, and stays until `withoutMarks`.
 *
 * @param place the flag or field that an error names
 * @throws UsageError for an unknown attribute without the mark
 */
export function cargoOf(given: readonly unknown[], place = 'package.contains'): readonly unknown[] {
  if (given.every((part) => cargoAttributes.includes(part as CargoWord))) return given
  const parts = given.flatMap((part) => (typeof part === 'string' ? listOf(part) : [part]))
  return parts.map((part) => {
    if (typeof part !== 'string') return part
    const known = wordOf(part.replace(newMark, ''), cargoAttributes)
    if (known !== undefined) return known
    // The sandbox's own word; production refuses test values before anything is sent.
    if (part === magicWords.unsupportedCargo) return part
    const word = part.replace(newMark, '')
    if (newMark.test(part) && word !== '') return `new:${word}`
    throw unknownCargo(part, place)
  })
}

function unknownCargo(given: string, place: string): UsageError {
  const word = given.slice(0, 80)
  const near = didYouMean(suggestions(foldedWord(word), cargoAttributes, 2))
  return new UsageError(
    `${place}: "${word}" is not a cargo attribute of the contract${place.startsWith('--') ? '.' : ''}`,
    {
      hint: `${near ?? `Expected ${cargoAttributes.join(', ')}.`} For one that the contract does not name yet, write "new:${word}".`,
    },
  )
}

/**
 * Cargo attributes of a list that `--set` gives as JSON: whoever types one that is written as the contract writes them,
 * such as `two_words`, and that is near none of its own, means it.
 */
export function typedCargo(given: unknown): unknown {
  if (!Array.isArray(given)) return given
  const isNew = (part: unknown) =>
    typeof part === 'string' &&
    /^[a-z]+(?:_[a-z0-9]+)+$/.test(part) &&
    part !== magicWords.unsupportedCargo &&
    wordOf(part, cargoAttributes) === undefined &&
    suggestions(foldedWord(part), cargoAttributes, 2).length === 0
  return given.map((part) => (isNew(part) ? `new:${part}` : part))
}

/** The attribute that is sent for one that may be marked as new. */
export function unmarkedCargo(attribute: unknown): unknown {
  return typeof attribute === 'string' ? attribute.replace(newMark, '') : attribute
}

/** An attribute of an existing order, which is kept whatever it is. */
export function markedCargo(attribute: string): string {
  return wordOf(attribute, cargoAttributes) === attribute ? attribute : `new:${attribute}`
}

/** A text without the apostrophe that keeps a spreadsheet from reading it as a number or a formula: `'28301`, `'-Ana`. */
export function unguarded(text: string): string {
  return text.startsWith("'") && /^'[=+\-@＝＋－＠\d]/.test(text) ? text.slice(1) : text
}

/** What is written beside a number and is none of it: `(cell)`, `tel:`, `Mobile:`. */
const label = /(?:cell(?:ular)?|mobile|mob|home|work|office|phone|telephone|tel|ph|cel|c|m|h|w|o)/
const labelBefore = new RegExp(`^\\(?${label.source}\\)?[.:]?\\s*(?=[+(\\d])`, 'i')
const labelBehind = new RegExp(`[\\s,]*(?:\\(${label.source}\\.?\\)|[\\s,]${label.source}\\.?)$`, 'i')
const extension = /[\s,;]*(?:ext(?:ension|n)?\.?[\s:=]*|x\.?\s*|#\s*)(\d{1,6})$/i
/** A pause and more digits, as phones dial and libraries read them; behind a phone only. */
const dialled = /\s*(?:[,;~]+|int\.?)\s*(\d{1,6})$/i

/** A phone in plain characters: marks of direction go, and every dash and space is the usual one. */
function plainPhone(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(labelBefore, '')
    .replace(labelBehind, '')
}

/** The E.164 form of a phone of North America, however it is written. */
export function phoneOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = plainPhone(value)
  const [, area, exchange, line] =
    /^(?:(?:\+|00)?1[ .,\-/]*)?\(?([2-9]\d{2})\)?[ .,\-/]*([2-9]\d{2})[ .,\-/]*(\d{4})$/.exec(text) ?? []
  return area === undefined ? undefined : `+1${area}${exchange}${line}`
}

/** A phone that has an extension, which no field of an order can hold. */
export function extendedPhone(value: string):
  | {
      /** The number before it in E.164, if it is one of North America. */
      phone: string | undefined
      /** Its digits. */
      extension: string
    }
  | undefined {
  const text = plainPhone(value)
  const named = extension.exec(text)
  const found = named ?? dialled.exec(text)
  if (found === null) return undefined
  const phone = phoneOf(text.slice(0, found.index))
  return named === null && phone === undefined ? undefined : { phone, extension: found[1] ?? '' }
}
