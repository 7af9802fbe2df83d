import type { ForwardState, JournalEvent } from '../../listener/index.js'
import type { ReceivedEvent, ReceivedEventInFull } from '../../render/log-view.js'
import { tryParseJson } from '../../shared/json.js'
import { maskPersonalData } from '../../webhooks/index.js'
import type { Merging } from '../process/context.js'

/** A received event for output; personal data in its body is masked unless `unmask` is set. */
export function logRow(event: JournalEvent, unmask: boolean): ReceivedEvent {
  // The body is signed but may not be JSON; then it is shown unchanged.
  const text = Buffer.from(event.body).toString('utf8')
  const json = tryParseJson(text, 'answer')
  const body = json === undefined ? text : json.value
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
    event: unmask ? body : maskPersonalData(body),
  }
}

/** A received event in full, for output. */
export function receivedEventOf(event: JournalEvent, forwards: ForwardState[], unmask: boolean): ReceivedEventInFull {
  const { rawHeaders, timestampSeconds } = event
  const { event: body, ...row } = logRow(event, unmask)
  const headers = Array.from({ length: rawHeaders.length / 2 }, (_, index): [string, string] => [
    rawHeaders[2 * index] ?? '',
    rawHeaders[2 * index + 1] ?? '',
  ])
  return { ...row, timestampSeconds, headers, forwards, event: body }
}

/** The newest events of several accounts together, newest last. */
export function newestOfAll({ limit: most = Number.POSITIVE_INFINITY }: { limit?: number }): Merging<ReceivedEvent> {
  const compare = (one: ReceivedEvent, other: ReceivedEvent) =>
    Date.parse(one.receivedAt) - Date.parse(other.receivedAt)
  return { most, end: 'newest', keepsLast: true, isChosen: true, compare }
}
