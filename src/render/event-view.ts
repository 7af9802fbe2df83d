import type { EventRecord } from '../contract/index.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { whenText } from './times.js'
import { cell, idOf, type View } from './view.js'

/** Past events with what became of their webhooks. */
export const eventList: View<EventRecord[]> = {
  id: idOf('eventId'),
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
    { name: 'deliveryId', header: 'DELIVERY' },
    { name: 'lastDeliveryStatus', header: 'WEBHOOK', cell: cell<EventRecord>(webhookText) },
    { name: 'deliveryAttempts', header: 'TRIES', align: 'right', narrow: false },
    { name: 'eventId', header: 'ID', narrow: false },
  ],
}

/** An event type for a narrow column: nearly all are of deliveries, which goes without saying. */
export function eventWord(eventType: string): string {
  return plainText(eventType.replace(/^delivery\./, ''))
}

const webhookWords: Readonly<Record<string, string>> = { no_endpoint_configured: 'none' }

function webhookText({ lastDeliveryStatus, deliveryAttempts }: EventRecord, style: Style): string {
  if (lastDeliveryStatus == null) return (deliveryAttempts ?? 0) > 0 ? paint(style, 'green', 'delivered') : ''
  const ink = { delivered: 'green', failed: 'red', pending: 'yellow', no_endpoint_configured: 'dim' } as const
  const known = Object.hasOwn(ink, lastDeliveryStatus) ? ink[lastDeliveryStatus as keyof typeof ink] : 'magenta'
  return paint(style, known, webhookWords[lastDeliveryStatus] ?? plainValue(lastDeliveryStatus))
}

/** One event as a line of a tail: clock time, type, delivery, id. */
export function eventLine(event: EventRecord, style: Style): string {
  const when = style.terminal
    ? new Date(event.occurredAt).toLocaleTimeString('sv-SE', { timeZone: style.timeZone })
    : event.occurredAt
  return [
    plainText(when),
    plainText(event.eventType).padEnd(36),
    plainValue(event.deliveryId).padEnd(30),
    plainText(event.eventId),
  ]
    .join('  ')
    .trimEnd()
}
