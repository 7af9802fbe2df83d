import { deliveryStatuses, eventTypes, reasonCodesFor, statusReasonCodes, UsageError } from '../../contract/index.js'
import { suggestions } from '../../shared/word-match.js'
import type { Notices } from '../output/notices.js'
import { newWord, unknownWordError } from './known-word.js'

/**
 * Parses a delivery status. An unknown one can be new: it is taken with a notice. Throws `UsageError` for a misspelt one,
 * which would match nothing and never be reached.
 */
export function parseStatus(name: string, flag: string, notices: Pick<Notices, 'notice'>): string {
  if (/^(?:late|stuck|problems?)$/i.test(name))
    throw new UsageError(`${flag}: "${name}" is not a status.`, {
      hint: 'dlv deliveries list --problem shows what is late, stuck or failed.',
    })
  const isKnown = (deliveryStatuses as readonly string[]).includes(name)
  if (!isKnown) newWord(name, deliveryStatuses, { flag, noun: 'a status' }, notices)
  return name
}

/**
 * Parses the reason for a status. An unknown one can be new: it is taken with a notice, like a status; whether it goes
 * with the status is the service's decision. Throws `UsageError` for a misspelt one.
 */
export function parseReason(name: string, flag: string, status: string, notices: Pick<Notices, 'notice'>): string {
  if (statusReasonCodes.some((known) => known === name)) return name
  const fitting = reasonCodesFor(status)
  newWord(name, fitting.length === 0 ? statusReasonCodes : fitting, { flag, noun: 'a reason code' }, notices)
  return name
}

const shortNames = new Map<string, string>(eventTypes.map((type) => [type.slice(type.indexOf('.') + 1), type]))

const subjects = ['delivery', 'driver', 'installation']

/** The event type that a name stands for: `delivery.failed`, or `failed` without its prefix; `undefined` if unknown. */
function knownEventType(name: string): string | undefined {
  return (eventTypes as readonly string[]).includes(name) ? name : shortNames.get(name)
}

const namesLike = (name: string) => (name.includes('.') ? eventTypes : [...shortNames.keys()])

/** Parses the type of an event that is made here. Throws `UsageError` for an unknown one. */
export function parseKnownEventType(name: string, flag: string): string {
  const known = knownEventType(name)
  if (known !== undefined) return known
  throw unknownWordError(name, namesLike(name), { flag, noun: 'an event type' })
}

/**
 * Parses an event type: `delivery.failed`, or `failed` without its prefix. An unknown one can be new: it is taken with a
 * notice. Throws `UsageError` for a misspelt one, which would match nothing.
 */
export function parseEventType(name: string, flag: string, notices: Pick<Notices, 'notice'>): string {
  const known = knownEventType(name)
  if (known !== undefined) return known
  const place = { flag, noun: 'an event type' }
  const [subject = '', ...rest] = name.split('.')
  const isOwn = subjects.includes(subject) || rest.length === 0
  if (!isOwn && suggestions(subject, subjects, 1).length > 0) throw unknownWordError(name, eventTypes, place)
  // The subject that all types share says nothing about how near two of them are.
  const isNear = suggestions(rest.join('.') || name, [...shortNames.keys()], 1).length > 0
  newWord(name, isNear ? namesLike(name) : [], place, notices)
  return name.includes('.') ? name : `delivery.${name}`
}

/**
 * Parses an event type in which `*` matches any characters, such as `delivery.*`: every type that fits, known or not. A
 * pattern that fits no known type is taken with a notice.
 */
export function parseEventTypePattern(pattern: string, flag: string, notices: Pick<Notices, 'notice'>): string {
  if (!pattern.includes('*')) return parseEventType(pattern, flag, notices)
  const [start = ''] = pattern.split('*')
  if (eventTypes.some((type) => type.startsWith(start))) return pattern
  const [subject = ''] = start.split('.')
  const place = { flag, noun: 'an event type' }
  if (subjects.includes(subject)) newWord(start, [], place, notices)
  else newWord(subject, subjects, place, notices)
  return pattern
}
