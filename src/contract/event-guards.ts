import { isRecord } from '../shared/json.js'
import type { DeliveryEvent, DriverEvent, InstallationEvent, WebhookEvent } from './types.generated.js'

/** Whether an event is about a delivery, also of a type that is newer than this version. */
export function isDeliveryEvent(event: WebhookEvent): event is DeliveryEvent {
  return event.eventType.startsWith('delivery.') && isRecord(extra(event).delivery)
}

/** Whether an event is about a driver, also of a type that is newer than this version. */
export function isDriverEvent(event: WebhookEvent): event is DriverEvent {
  return event.eventType.startsWith('driver.') && isRecord(extra(event).driver)
}

/** Whether an event is about an installation, also of a type that is newer than this version. */
export function isInstallationEvent(event: WebhookEvent): event is InstallationEvent {
  return event.eventType.startsWith('installation.') && isRecord(extra(event).installation)
}

/**
 * Properties of an object that a newer service has added: `extra(delivery).newField`. The types contain only properties
 * of this version, so that a misspelt name does not compile.
 */
export function extra(value: object): Readonly<Record<string, unknown>> {
  return value as Readonly<Record<string, unknown>>
}
