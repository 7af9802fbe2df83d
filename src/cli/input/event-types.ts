import { eventTypes } from '../../contract/index.js'
import { unknownWordError } from './known-word.js'

const shortNames = new Map<string, string>(eventTypes.map((type) => [type.slice(type.indexOf('.') + 1), type]))

/**
 * Parses an event type: `delivery.failed`, or `failed` without its prefix. Throws `UsageError` for an unknown one,
 * which would match nothing.
 */
export function parseEventType(name: string, flag: string): string {
  const known = (eventTypes as readonly string[]).includes(name) ? name : shortNames.get(name)
  if (known !== undefined) return known
  const names = name.includes('.') ? eventTypes : [...shortNames.keys()]
  throw unknownWordError(name, names, { flag, noun: 'an event type' })
}

/**
 * Parses an event type in which `*` matches any characters, such as `delivery.*`. Throws `UsageError` for a pattern
 * that matches no known type.
 */
export function parseEventTypePattern(pattern: string, flag: string): string {
  if (!pattern.includes('*')) return parseEventType(pattern, flag)
  const literals = pattern.split('*').map((text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const shape = new RegExp(`^${literals.join('.*')}$`)
  if (eventTypes.some((type) => shape.test(type))) return pattern
  throw unknownWordError(pattern, eventTypes, { flag, noun: 'an event type' })
}
