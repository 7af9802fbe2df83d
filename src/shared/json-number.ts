/**
 * A number of a JSON text that no JavaScript number gives back as it was written, such as `9007199254740993`, `1.10` or
 * `1e5`. `JSON.stringify` and `String` give its text, and it calculates as the nearest number.
 */
export class JsonNumber extends Number {
  /** The number as it is written in JSON. */
  readonly text: string

  /** @throws SyntaxError if the text is not a number of JSON */
  constructor(text: string) {
    super(text)
    if (!isJsonNumber(text)) throw new SyntaxError(`"${text.slice(0, 80)}" is not a number of JSON`)
    this.text = text
  }

  override toString(): string {
    return this.text
  }

  /** The digits as they were written, for `JSON.stringify`. */
  toJSON(): unknown {
    return rawJson(this.text)
  }
}

/** Whether a text is a number of JSON. */
export function isJsonNumber(text: string): boolean {
  return numberText.test(text)
}

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Which numbers keep their text. `whole`: whole numbers, and numbers out of range, that a JavaScript number cannot hold.
 * `input`: all that would be written in another form, except in fields that the contract types as numbers, which are
 * compared and checked. `answer`: the same, and `JSON.stringify` writes these fields in their form, too. `free`: all, in the
 * whole text, which is a part of `metadata`.
 */
export type NumberReading = 'whole' | 'input' | 'answer' | 'free'

/** The fields of the contract that are numbers, wherever they stand outside of `metadata`. */
export const numericFields: ReadonlySet<string> = new Set([
  'affectedDeliveryCount',
  'cancellationFeeCents',
  'deliveryAttempts',
  'deliveryFeeCents',
  'itemsCount',
  'latitude',
  'limit',
  'longitude',
  'maxRequestsPerSecond',
  'minimumAge',
  'tipAmountCents',
  'totalPriceCents',
  'valueCents',
  'weightGrams',
  'workerCount',
])

/** `JSON.parse` in which numbers keep their text. Without such a number it costs no more than a search. */
export function parseNumbers(text: string, reading: NumberReading): unknown {
  if (!holdsChanging(text)) return JSON.parse(text)
  let hasKept = false
  const value: unknown = JSON.parse(text, (_name, member: unknown, context?: { source?: string }) => {
    const source = typeof member === 'number' ? context?.source : undefined
    if (source === undefined || String(member) === source || !keeps(source, reading)) return member
    hasKept = true
    return new JsonNumber(source)
  })
  return hasKept && reading !== 'free' ? withPlainFields(value, reading) : value
}

const quote = 0x22
const backslash = 0x5c
/** Numbers of fewer characters have no more digits than a JavaScript number holds. */
const manyCharacters = 16

/** Whether JavaScript would write a number of this JSON in another form. Strings are skipped, not read. */
function holdsChanging(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      at = endOfString(text, at)
      if (at < 0) return false
    } else if (unit === minus || isDigit(unit)) {
      const end = endOfNumber(text, at)
      if (isChanging(text, at, end)) return true
      at = end - 1
    }
  }
  return false
}

/** The end of the string that starts here; -1 if it does not end. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
  return -1
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

const minus = 0x2d

/** Behind everything that a number consists of: digits, signs, a point and an exponent. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end)
    if (!isDigit(unit) && unit !== 0x2e && unit !== minus && unit !== 0x2b && (unit | 0x20) !== 0x65) break
  }
  return end
}

function isChanging(text: string, start: number, end: number): boolean {
  if (end - start < manyCharacters && isPlain(text, start, end)) return false
  const source = text.slice(start, end)
  return String(Number(source)) !== source
}

/** Whether nothing but digits and a point that does not end in a zero: most numbers need no closer look. */
function isPlain(text: string, start: number, end: number): boolean {
  let hasPoint = false
  for (let at = text.charCodeAt(start) === minus ? start + 1 : start; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x2e) hasPoint = true
    else if (!isDigit(unit)) return false
  }
  const isSmall = text.charCodeAt(end - 1) === 0x30 || text.startsWith('0.000000', start)
  return hasPoint
    ? !isSmall && !text.startsWith('-0.000000', start)
    : text.charCodeAt(start) !== minus || end - start > 2
}

function keeps(source: string, reading: NumberReading): boolean {
  return reading !== 'whole' || (source !== '-0' && /^-?\d+$/.test(source)) || !Number.isFinite(Number(source))
}

/** How the value of a request's field is read: all of its numbers are free below `metadata`. */
export function readingAt(path: readonly string[]): NumberReading {
  return path.includes('metadata') ? 'free' : 'input'
}

/** Replaces the numbers of fields that are numbers by the contract. Works on the value itself. */
function withPlainFields(value: unknown, reading: NumberReading): unknown {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  if (Array.isArray(value)) for (const element of value) withPlainFields(element, reading)
  else {
    const members = value as Record<string, unknown>
    const forms = new Map<string, JsonNumber>()
    for (const [name, member] of Object.entries(members)) {
      if (!(member instanceof JsonNumber)) {
        if (name !== 'metadata') withPlainFields(member, reading)
      } else if (numericFields.has(name)) {
        members[name] = member.valueOf()
        forms.set(name, member)
      }
    }
    if (reading === 'answer' && forms.size > 0) keepForms(members, forms)
  }
  return value
}

/** Lets `JSON.stringify` write the members that are still these numbers in the form in which they came. */
function keepForms(members: Record<string, unknown>, forms: ReadonlyMap<string, JsonNumber>): void {
  Object.defineProperty(members, 'toJSON', {
    configurable: true,
    enumerable: false,
    value: () => {
      const written = { ...members }
      for (const [name, form] of forms) if (written[name] === form.valueOf()) written[name] = form
      return written
    },
  })
}

/** The text of a value that stands for JSON text as it is: a `JsonNumber`, or a result of `JSON.rawJSON`. */
export function rawTextOf(value: object): string | undefined {
  if (value instanceof JsonNumber) return value.text
  const { isRawJSON } = JSON as { isRawJSON?: (value: unknown) => value is { rawJSON: string } }
  return isRawJSON?.(value) ? value.rawJSON : undefined
}

/** What `JSON.stringify` writes as this text; a runtime that lacks it gets the nearest number. */
function rawJson(text: string): unknown {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }
  return rawJSON === undefined ? Number(text) : rawJSON(text)
}

/** `JSON.stringify` that writes a `bigint` as its digits. */
export function jsonWithBigInts(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? rawJson(String(member)) : member,
  )
}
