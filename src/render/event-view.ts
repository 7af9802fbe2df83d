import { type EventRecord, eventTypes } from '../contract/index.js'
import { known } from './known-word.js'
import { plainText, plainValue } from './plain-text.js'
import { type Ink, paint, type Style } from './style.js'
import { pad } from './text-width.js'
import { clockText, whenText } from './times.js'
import { cell, idOf, type View } from './view.js'

const widestWord = Math.max(...eventTypes.map((type) => eventWord(type).length))
/** The terminal width from which a line also has room for the event's id. */
const roomForIds = 110

/** Past events with the state of their webhooks. */
export const eventList: View<EventRecord[]> = {
  id: idOf('eventId'),
  timed: true,
  empty: 'No events.',
  columns: [
    {
      name: 'occurredAt',
      header: 'WHEN',
      cell: cell<EventRecord>(({ occurredAt }, style) => whenText(occurredAt, style)),
    },
    {
      name: 'eventType',
      header: 'EVENT',
      elastic: true,
      cell: cell<EventRecord>(({ eventType }) => eventWord(eventType)),
    },
    { name: 'deliveryId', header: 'DELIVERY', keep: true },
    { name: 'lastDeliveryStatus', header: 'WEBHOOK', cell: cell<EventRecord>(webhookText) },
    { name: 'deliveryAttempts', header: 'TRIES', align: 'right', narrow: false },
    { name: 'eventId', header: 'ID', narrow: false },
  ],
}

/** An event type for a narrow column, without the prefix that nearly all have. */
export function eventWord(eventType: string): string {
  return plainText(eventType.replace(/^delivery\./, ''))
}

const webhookWords: Readonly<Record<string, string>> = { no_endpoint_configured: 'none' }
const webhookInks: Readonly<Record<string, Ink>> = {
  delivered: 'green',
  failed: 'red',
  pending: 'yellow',
  no_endpoint_configured: 'dim',
}

function webhookText({ lastDeliveryStatus, deliveryAttempts }: EventRecord, style: Style): string {
  if (lastDeliveryStatus == null) return (deliveryAttempts ?? 0) > 0 ? paint(style, 'green', 'delivered') : ''
  const word = known(webhookWords, lastDeliveryStatus) ?? plainValue(lastDeliveryStatus)
  return paint(style, known(webhookInks, lastDeliveryStatus) ?? 'magenta', word)
}

/** An event as a line: time, type, delivery and, if there is room, id; tab-separated in a pipe. */
export function eventLine(event: EventRecord, style: Style): string {
  const { occurredAt, eventType, deliveryId, eventId } = event
  if (!style.terminal) return [occurredAt, eventType, deliveryId, eventId].map(plainValue).join('\t')
  const atMs = Date.parse(occurredAt)
  const when = Number.isNaN(atMs) ? plainText(occurredAt) : clockText(atMs, style)
  const line = [when, pad(eventWord(eventType), widestWord), pad(plainValue(deliveryId), 30)]
  return (style.columns < roomForIds ? line : [...line, plainText(eventId)]).join('  ').trimEnd()
}
