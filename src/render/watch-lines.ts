import type { Delivery, EventRecord } from '../contract/index.js'
import { stepsOf } from '../trade/history.js'
import { EventLines } from './event-line.js'
import { paint, type Style } from './style.js'
import { spanText } from './times.js'

/** The lines of one delivery: its history so far and its events, each with the time since the line before. */
export class WatchLines {
  readonly #lines = new EventLines()
  #lastMs = Number.NaN

  /** The lines of a delivery's history, which says less than its events did. */
  history(delivery: Delivery, style: Style): string[] {
    return stepsOf(delivery.statusHistory).map((entry) => {
      const { statusReasonCode, statusReason } = entry
      const data = { delivery: { ...delivery, statusReasonCode, statusReason } }
      const { occurredAt } = entry
      const eventType = `delivery.${entry.status}`
      const shown = { eventId: '', eventType, occurredAt, deliveryId: delivery.deliveryId, data }
      return this.#lines.line(shown, style, { notes: this.#since(Date.parse(occurredAt), style) })
    })
  }

  event(event: EventRecord, style: Style): string {
    const notes = style.terminal ? this.#since(Date.parse(event.occurredAt), style) : []
    return this.#lines.line(event, style, { notes })
  }

  #since(atMs: number, style: Style): string[] {
    const span = atMs - this.#lastMs
    this.#lastMs = atMs
    return Number.isNaN(span) ? [] : [paint(style, 'dim', `+${spanText(span)}`)]
  }
}
