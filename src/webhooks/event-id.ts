import { randomUUID } from 'node:crypto'

/** An id for an event that is made here. */
export function newEventId(): string {
  return `evt_${randomUUID().replaceAll('-', '')}`
}

/** The `eventId` of a body; `undefined` where it has none, or is no JSON. */
export function eventIdOf(body: Buffer): string | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    if (typeof value !== 'object' || value === null || !('eventId' in value)) return undefined
    return typeof value.eventId === 'string' && value.eventId !== '' ? value.eventId : undefined
  } catch {
    // Whoever sends what is not JSON wants to see how that is refused.
    return undefined
  }
}
