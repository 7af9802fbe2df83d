import { randomId } from '../shared/crypto.js'
import { isRecord, tryParseJson } from '../shared/json.js'

/** An id for an event that is made here. */
export function newEventId(): string {
  return `evt_${randomId().replaceAll('-', '')}`
}

/** The `eventId` of a body; `undefined` if it has none, or is not JSON. */
export function eventIdOf(body: Uint8Array): string | undefined {
  const value = tryParseJson(body)?.value
  return isRecord(value) && typeof value.eventId === 'string' && value.eventId !== '' ? value.eventId : undefined
}
