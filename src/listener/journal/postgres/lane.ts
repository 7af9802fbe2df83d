import { hash } from 'node:crypto'
import type { JournalEntry } from '../event.js'

/** Longer ones are not found by their delivery: an index holds no value of more than a third of a page. */
const indexedCharacters = 500

/** PostgreSQL stores every character but this one, and no half of a surrogate pair. */
export function storable<Text extends string | undefined>(text: Text): Text {
  if (text === undefined || (!text.includes('\0') && text.isWellFormed())) return text
  return text.replaceAll('\0', '\u{fffd}').toWellFormed() as Text
}

/** The delivery of an event as it is found by; `undefined` if it is too long for an index. */
export function indexedDelivery({ deliveryId }: Pick<JournalEntry, 'deliveryId'>): string | undefined {
  return deliveryId !== undefined && deliveryId.length <= indexedCharacters ? storable(deliveryId) : undefined
}

/** Events of one lane are forwarded one after another: those of a delivery, or a single one that names none. */
export function laneOf({ id, deliveryId }: Pick<JournalEntry, 'id' | 'deliveryId'>): string {
  const lane = storable(deliveryId ?? id)
  // Too long for an index.
  return lane.length <= indexedCharacters ? lane : `sha256:${hash('sha256', lane)}`
}
