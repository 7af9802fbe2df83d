import { isRecord } from '../shared/json.js'
import { envelopeIssues, subjectOf } from './event-issues.js'
import type { DeliveryEvent, DriverEvent, InstallationEvent, WebhookEvent } from './types.generated.js'

/** Whether a value is an event, also of a type that is newer than this version: `data` of a listed event, for instance. */
export function isWebhookEvent(value: unknown): value is WebhookEvent {
  return envelopeIssues(value).length === 0
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
