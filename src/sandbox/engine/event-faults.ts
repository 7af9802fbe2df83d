import { terminalStatuses } from '../../contract/index.js'
import { minuteMs } from '../../shared/durations.js'
import { isRecord } from '../../shared/json.js'
import { timestamp } from '../core/timestamp.js'
import { contentFaultsOf, locationBurst, withContentFaults } from '../core/webhook-faults.js'
import type { EventDraft } from '../model.js'

const LATE_BY_MS = minuteMs

/**
 * One event with the content faults of the sandbox's rules worked in, and the events that they add. The faults that an
 * order itself asks for are in the event already. `newId` gives identifiers of events.
 */
export function withRuleFaults(draft: EventDraft, hooks: readonly string[], newId: () => string): EventDraft[] {
  const content = contentFaultsOf(hooks)
  if (content.length === 0) return [draft]
  const changed = { ...draft, body: withContentFaults(content, draft.body) }
  return [changed, ...companions(changed, content, newId)]
}

function companions(draft: EventDraft, hooks: readonly string[], newId: () => string): EventDraft[] {
  const delivery = draft.body.delivery
  if (!isRecord(delivery)) return []
  const { previousStatus, ...rest } = draft.body
  const status = draft.eventType.replace('delivery.', '')
  const another = (eventType: string, occurredAtMs: number, change: Record<string, unknown>): EventDraft => {
    const eventId = newId()
    const occurredAt = timestamp(occurredAtMs)
    return { ...draft, eventId, eventType, occurredAtMs, body: { ...rest, eventId, eventType, occurredAt, ...change } }
  }
  const added: EventDraft[] = []
  if (hooks.includes('unknowntype') && delivery.status === status) {
    added.push(another('delivery.teleported', draft.occurredAtMs, {}))
  }
  if (hooks.includes('locationburst') && status === 'driver_enroute_to_dropoff') {
    for (let step = 1; step <= locationBurst.length; step++) {
      added.push(another('delivery.driver_location_updated', draft.occurredAtMs, { delivery: moved(delivery, step) }))
    }
  }
  if (hooks.includes('latearrival') && terminalStatuses.has(status)) {
    const before = { ...delivery, status: previousStatus ?? 'accepted' }
    added.push(another('delivery.driver_location_updated', draft.occurredAtMs - LATE_BY_MS, { delivery: before }))
  }
  return added
}

function moved(delivery: Record<string, unknown>, step: number): Record<string, unknown> {
  const driver = delivery.driver
  if (!isRecord(driver) || !isRecord(driver.location)) return delivery
  const latitude = Number(driver.location.latitude) + step * locationBurst.stepDegrees
  const location = { ...driver.location, latitude: Number(latitude.toFixed(5)) }
  return { ...delivery, driver: { ...driver, location } }
}
