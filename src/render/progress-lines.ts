import type { Delivery, EventRecord } from '../contract/index.js'
import { spanText } from '../shared/durations.js'
import { stepsOf } from '../trade/story.js'
import { EventLines } from './event-line.js'
import { prose } from './plain-text.js'
import { paint, type Style } from './style.js'
import { idOf, type View } from './view.js'
import { clockText } from './words.js'

/** The result of filling an archive. Times in RFC 3339; `null` if nothing is covered yet. */
export interface SyncShown {
  /** Number of events and deliveries that were not known. */
  events: number
  deliveries: number
  requests: number
  from: string | null
  to: string | null
  /** Older periods, each followed by a gap; absent without one. */
  older?: { from: string; to: string }[]
}

export const syncView: View<SyncShown> = {
  id: idOf('to'),
  columns: ['events', 'deliveries', 'requests', 'from', 'to'].map((name) => ({ name })),
  card: (shown, style) =>
    [
      `${paint(style, 'bold', syncedText(shown))}, ${shown.requests.toLocaleString('en-US')} requests`,
      shown.from === null ? 'The archive is empty.' : `The archive has the events from ${shown.from} to ${shown.to}.`,
      ...(shown.older ?? []).map(({ from, to }) => `Before a gap it has those from ${from} to ${to}.`),
    ]
      .map((line) => prose(line, style))
      .join('\n'),
}

/** A line about what came since the last one. */
export function syncLine(shown: SyncShown, style: Pick<Style, 'nowMs' | 'timeZone'>): string {
  const at = shown.to === null ? '' : `${clockText(Date.parse(shown.to), style)}  `
  return `${at}${syncedText(shown)}`
}

function syncedText({ events, deliveries }: SyncShown): string {
  return `${events.toLocaleString('en-US')} new events, ${deliveries.toLocaleString('en-US')} new deliveries`
}

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

/** A step of the tour: its number, what happened, and the command that does the same. */
export function tourStep(number: number, happened: string, command: string, style: Style): string {
  const line = `${number}. ${paint(style, 'bold', happened)}`
  return `${number === 1 ? '' : '\n'}${line}${command === '' ? '' : `\n   ${paint(style, 'dim', `$ ${command}`)}`}`
}

const next = [
  ['dlv webhooks listen', 'receive webhooks in a second terminal'],
  ['dlv deliveries template > order.json', 'write an order to a file, to change as you like'],
  ['dlv deliveries create --file order.json', 'create your own delivery'],
  ['dlv simulate DELIVERY_ID --to delivered', 'advance it to delivered'],
  ['dlv deliveries get DELIVERY_ID', 'show its timeline'],
  ['dlv profiles add NAME', 'connect a real account'],
] as const

/** The commands to try after the tour. */
export function tourClosing(style: Style): string {
  const width = Math.max(...next.map(([command]) => command.length))
  const lines = next.map(([command, does]) => `  ${command.padEnd(width)}  ${paint(style, 'dim', does)}`)
  return ['', paint(style, 'bold', 'Try next, with state that is kept:'), ...lines].join('\n')
}
