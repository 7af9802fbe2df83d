import { UsageError } from './dlv-error.js'
import { endOfString, JsonNumber, type NumberReading, parseNumbers } from './json-number.js'

/** Whether a value is an object and not an array, as most values of the contract are. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}

/** Whether objects and lists have more than this number of members in all. */
export function hasMoreMembers(value: unknown, most: number): boolean {
  const open = [value]
  let count = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) {
      count += next.length
      if (count > most) return true
      for (const member of next) if (typeof member === 'object') open.push(member)
      continue
    }
    // Not Object.values, which gathers the members of all 300,000 names before one is counted.
    for (const name in next) {
      if (++count > most) return true
      const member: unknown = next[name as keyof typeof next]
      if (typeof member === 'object') open.push(member)
    }
  }
  return false
}

/** A member that is an object; an empty object for anything else. */
export function recordAt(value: unknown, name: string): Record<string, unknown> {
  const member = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return isRecord(member) ? member : {}
}

/** The value if it is a text; `undefined` for anything else, such as `null` in a column. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A member that is a text and not empty. */
export function textAt(value: unknown, name: string): string | undefined {
  const member = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return typeof member === 'string' && member !== '' ? member : undefined
}

/** A member that is a time, in milliseconds since the epoch. */
export function timeAt(value: unknown, name: string): number | undefined {
  const atMs = Date.parse(textAt(value, name) ?? '')
  return Number.isNaN(atMs) ? undefined : atMs
}

/** The maximum nesting depth of objects and arrays in JSON from outside. */
export const maxJsonDepth = 200

/** The result of reading JSON: its value, or the fault as the end of a sentence such as "The body …". */
export type JsonReading = { value: unknown } | { fault: 'syntax' | 'depth'; message: string }

const utf8 = new TextDecoder()

/**
 * Reads JSON from outside; bytes are read as UTF-8. Never throws.
 *
 * @param numbers which numbers keep their text; by default none
 */
export function readJsonText(text: string | Uint8Array, numbers?: NumberReading): JsonReading {
  const decoded = typeof text === 'string' ? text : utf8.decode(text)
  try {
    if (isTooDeep(decoded)) return { fault: 'depth', message: `is nested deeper than ${maxJsonDepth} levels` }
    return { value: numbers === undefined ? JSON.parse(decoded) : parseNumbers(decoded, numbers) }
  } catch (error) {
    return { fault: 'syntax', message: `is not JSON: ${(error as Error).message}` }
  }
}

/**
 * The value of JSON, wrapped to tell `null` from text that is not JSON or is nested too deep. Bytes are read as UTF-8.
 */
export function tryParseJson(text: string | Uint8Array, numbers?: NumberReading): { value: unknown } | undefined {
  const reading = readJsonText(text, numbers)
  return 'value' in reading ? reading : undefined
}

const quote = 0x22

/** Whether brackets outside strings are nested deeper than allowed. Does not check that the text is JSON. */
export function isTooDeep(text: string): boolean {
  // Each level takes one bracket to open it and one to close it.
  if (text.length <= maxJsonDepth * 2 || hasFewBrackets(text)) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      at = endOfString(text, at)
      if (at < 0) return false
      // `[` and `{`, `]` and `}` differ in one bit only.
    } else if ((unit | 0x20) === 0x7b) {
      if (++depth > maxJsonDepth) return true
    } else if ((unit | 0x20) === 0x7d) depth--
  }
  return false
}

/** Whether there are not enough opening brackets, in strings or outside, to nest too deep: quicker than reading along. */
function hasFewBrackets(text: string): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++count > maxJsonDepth) return false
    }
  }
  return true
}

/** The error for JSON that is nested too deep; `what` names it, such as `The order`. */
export function tooDeep(what: string): UsageError {
  return new UsageError(`${what} is nested deeper than ${maxJsonDepth} levels`)
}
