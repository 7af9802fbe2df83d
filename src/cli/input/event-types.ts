import { eventTypes } from '../../contract/index.js'
import { matchesStars } from '../../shared/star-pattern.js'
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
  knownEventTypes(pattern, flag)
  return pattern
}

/** The known types that a type or a pattern stands for, for a service that filters by exact types. */
export function knownEventTypes(pattern: string, flag: string): readonly string[] {
  if (!pattern.includes('*')) return [parseEventType(pattern, flag)]
  const known = eventTypes.filter((type) => matchesStars(pattern, type))
  if (known.length === 0) throw unknownWordError(pattern, eventTypes, { flag, noun: 'an event type' })
  return known
}
