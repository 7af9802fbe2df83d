import { hash } from 'node:crypto'
import type { JournalEntry } from '../event.js'

/** Longer ones are not found by their delivery: an index holds no value of more than a third of a page. */
const indexedCharacters = 500

/** PostgreSQL stores every character but this one. */
export function storable<Text extends string | undefined>(text: Text): Text {
  return text?.includes('\0') === true ? (text.replaceAll('\0', '\u{fffd}') as Text) : text
}

/** The delivery of an event as it is found by; `undefined` if it is too long for an index. */
export function indexedDelivery({ deliveryId }: Pick<JournalEntry, 'deliveryId'>): string | undefined {
  return deliveryId !== undefined && deliveryId.length <= indexedCharacters ? storable(deliveryId) : undefined
}

/**
 * The lane of an event whose delivery or id is too long for an index; `undefined` for every other one: its lane is its
 * delivery, or the event itself if it has none.
 */
export function longLane({ id, deliveryId }: Pick<JournalEntry, 'id' | 'deliveryId'>): string | undefined {
  const lane = deliveryId ?? id
  return lane.length <= indexedCharacters ? undefined : `sha256:${hash('sha256', storable(lane))}`
}
