import type { z } from 'zod'
import { DeliveryEvent, DriverEvent, eventTypes, InstallationEvent, WebhookEvent } from '../contract/index.js'
import { isRecord } from '../shared/json.js'
import { compare } from './compare.js'
import type { Finding } from './finding.js'

/** How the body of a webhook, or the `data` of a listed event, differs from the contract. */
export function checkEvent(body: unknown): Omit<Finding, 'count'>[] {
  return compare(schemaOf(body), body).map((difference) => ({ operation: 'webhook', ...difference }))
}

function schemaOf(body: unknown): z.ZodType {
  const type = isRecord(body) && typeof body.eventType === 'string' ? body.eventType : ''
  if (!(eventTypes as readonly string[]).includes(type)) return WebhookEvent
  if (type.startsWith('delivery.')) return DeliveryEvent
  if (type === 'driver.duty_changed') return DriverEvent.partial({ driver: true })
  return type.startsWith('driver.') ? DriverEvent : InstallationEvent
}
