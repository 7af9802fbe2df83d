import type { EventPage, EventRecord } from '../contract/index.js'
import { jsonElements, jsonMembers } from './json-slices.js'

/** An event of the service's list with the bytes of its webhook. */
export interface ListedEvent {
  record: EventRecord
  body: Uint8Array
}

/**
 * The events of one page of `GET /events`, each with its webhook's body as it stands in the page's text: parsing and
 * printing it again would change spaces, escapes, numbers and the order of members, and with them the bytes that a
 * receiver has seen under this id. An event whose `data` is not a whole webhook gets the record's envelope around it.
 *
 * @param pageText the bytes that `page` was parsed from
 */
export function listedEvents(page: EventPage, pageText: Uint8Array): ListedEvent[] {
  const texts = jsonElements(jsonMembers(pageText)?.get('events') ?? new Uint8Array()) ?? []
  return page.events.map((record, index) => {
    const text = texts[index]
    return { record, body: bodyOf(record, text === undefined ? undefined : jsonMembers(text)?.get('data')) }
  })
}

function bodyOf(record: EventRecord, text: Uint8Array | undefined): Uint8Array {
  const { eventId, eventType, occurredAt, livemode, data } = record
  const isWhole = typeof data === 'object' && data !== null && Object.hasOwn(data, 'eventId')
  if (isWhole) return text ?? Buffer.from(JSON.stringify(data))
  const payload = typeof data === 'object' && data !== null ? data : {}
  return Buffer.from(JSON.stringify({ eventId, eventType, occurredAt, livemode, ...payload }))
}
