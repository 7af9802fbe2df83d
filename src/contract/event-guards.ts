import { isRecord } from '../shared/json.js'
import { eventTypes } from './event-types.js'
import type { DeliveryEvent, DriverEvent, InstallationEvent, WebhookEvent } from './types.generated.js'

/** The faults that keep a value from being an event, one sentence a field. */
export function envelopeIssues(value: unknown): string[] {
  if (!isRecord(value)) return [`the body is ${kindOf(value)}`]
  return envelopeNames
    .filter((name) => typeof value[name] !== 'string')
    .map((name) => `${name} is ${kindOf(value[name])}`)
}

const envelopeNames = ['eventId', 'eventType', 'occurredAt']

/** The members that an event of a known type promises and does not have. An unknown type promises none. */
export function subjectIssues(event: Pick<WebhookEvent, 'eventType'>): string[] {
  const subject = subjectOf(event)
  const value = (event as Readonly<Record<string, unknown>>)[subject]
  if (isRecord(value) || !(eventTypes as readonly string[]).includes(event.eventType)) return []
  return [`${subject} is ${kindOf(value)}`]
}

/** The part of a type before its dot, which is also the member that holds what the event is about. */
export function subjectOf({ eventType }: Pick<WebhookEvent, 'eventType'>): string {
  return eventType.split('.', 1)[0] ?? ''
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Whether a value is an event, also of a type that is newer than this version: `data` of a listed event, for instance. */
export function isWebhookEvent(value: unknown): value is WebhookEvent {
  return isRecord(value) && envelopeNames.every((name) => typeof value[name] === 'string')
}

/** Whether a value is an event about a delivery, also of a type that is newer than this version. */
export function isDeliveryEvent(value: unknown): value is DeliveryEvent {
  return isEventAbout('delivery', value)
}

/** Whether a value is an event about a driver, also of a type that is newer than this version. */
export function isDriverEvent(value: unknown): value is DriverEvent {
  return isEventAbout('driver', value)
}

/** Whether a value is an event about an installation, also of a type that is newer than this version. */
export function isInstallationEvent(value: unknown): value is InstallationEvent {
  return isEventAbout('installation', value)
}

function isEventAbout(subject: string, value: unknown): boolean {
  return isWebhookEvent(value) && subjectOf(value) === subject && isRecord(extra(value)[subject])
}

/**
 * Properties of an object that a newer service has added: `extra(delivery).newField`. The types contain only properties
 * of this version, so that a misspelt name does not compile.
 */
export function extra(value: object): Readonly<Record<string, unknown>> {
  return value as Readonly<Record<string, unknown>>
}
