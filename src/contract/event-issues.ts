import { isRecord } from '../shared/json.js'
import { eventTypes } from './event-types.js'

/** The faults that keep a value from being an event, one sentence a field. */
export function envelopeIssues(value: unknown): string[] {
  if (!isRecord(value)) return [`the body is ${kindOf(value)}`]
  return ['eventId', 'eventType', 'occurredAt']
    .filter((name) => typeof value[name] !== 'string')
    .map((name) => `${name} is ${kindOf(value[name])}`)
}

/** The members that an event of a known type promises and does not have. An unknown type promises none. */
export function subjectIssues(event: { eventType: string }): string[] {
  const subject = subjectOf(event)
  const value = (event as Readonly<Record<string, unknown>>)[subject]
  if (isRecord(value) || !(eventTypes as readonly string[]).includes(event.eventType)) return []
  return [`${subject} is ${kindOf(value)}`]
}

/** The part of a type before its dot, which is also the member that holds what the event is about. */
export function subjectOf({ eventType }: { eventType: string }): string {
  return eventType.split('.', 1)[0] ?? ''
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
