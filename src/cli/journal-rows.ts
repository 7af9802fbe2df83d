import type { JournalEvent } from '../listener/index.js'

/** An event of a journal as it is printed: times as RFC 3339, the body as JSON where it is JSON. */
export interface LogRow {
  eventId: string
  eventType: string | null
  deliveryId: string | null
  occurredAt: string | null
  receivedAt: string
  source: string
  secret: string
  repeats: number
  conflicts: number
  event: unknown
}

/** The printed form of a received event. */
export function logRow(event: JournalEvent): LogRow {
  return {
    eventId: event.id,
    eventType: event.eventType ?? null,
    deliveryId: event.deliveryId ?? null,
    occurredAt: event.occurredAt ?? null,
    receivedAt: new Date(event.receivedAtMs).toISOString(),
    source: event.source,
    secret: event.secret,
    repeats: event.repeats,
    conflicts: event.conflicts,
    event: jsonOf(event.body),
  }
}

function jsonOf(body: Uint8Array): unknown {
  const text = Buffer.from(body).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text // signed, but no JSON: shown as it came
  }
}
