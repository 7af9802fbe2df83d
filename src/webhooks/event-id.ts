import { randomUUID } from 'node:crypto'

/** An id for an event that is made here. */
export function newEventId(): string {
  return `evt_${randomUUID().replaceAll('-', '')}`
}
