import type { EventRecord } from '../contract/index.js'
import { recordAt, textAt } from '../shared/json.js'
import { webhookStatusOf, webhookTone } from '../trade/webhook-status.js'
import { eventDetail, eventSubject } from './event-detail.js'
import { eventWord } from './event-line.js'
import { plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { whenText } from './times.js'
import { cell, idOf, type View } from './view.js'
import { toneInks } from './words.js'

/** Past events with the state of their webhooks. */
export const eventList: View<EventRecord[]> = {
  id: idOf('eventId'),
  shows: ['listEvents'],
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
    { name: 'deliveryId', header: 'DELIVERY', givesWay: true },
    { name: 'lastDeliveryStatus', header: 'WEBHOOK', givesWay: true, cell: cell<EventRecord>(webhookText) },
    { name: 'deliveryAttempts', header: 'TRIES', align: 'right', narrow: false },
    { name: 'eventId', header: 'ID', keep: true },
    {
      name: 'data.delivery.clientOrderReference',
      header: 'REFERENCE',
      elastic: true,
      narrowest: 24,
      whole: true,
      keep: true,
      cell: cell<EventRecord>(subjectText),
    },
  ],
}

/** The order; of an event that is about none, what it is about and, on a terminal, what changed. */
function subjectText({ eventType, data }: EventRecord, style: Style): string {
  const reference = textAt(recordAt(data, 'delivery'), 'clientOrderReference')
  if (reference !== undefined) return plainValue(reference)
  if (eventType.startsWith('delivery.') || !style.terminal) return ''
  return [eventSubject(data), eventDetail(eventType, data, style)].filter((part) => part !== '').join(': ')
}

function webhookText({ lastDeliveryStatus, deliveryAttempts }: EventRecord, style: Style): string {
  const status = webhookStatusOf(lastDeliveryStatus, deliveryAttempts)
  if (status === undefined) return plainValue(lastDeliveryStatus)
  if (status === 'no_endpoint_configured') return paint(style, 'dim', 'none')
  return paint(style, toneInks[webhookTone(status)], status)
}

interface GapRow {
  eventId: string
  eventType: string | null
  occurredAt: string | null
}

/** Events that the journal lacks. */
export const gapList: View<GapRow[]> = {
  id: idOf('eventId'),
  timed: true,
  empty: 'No gaps: the journal has every event that the service sent.',
  columns: [
    { name: 'occurredAt', header: 'WHEN', cell: cell<GapRow>(({ occurredAt }, style) => whenText(occurredAt, style)) },
    {
      name: 'eventType',
      header: 'EVENT',
      elastic: true,
      cell: cell<GapRow>(({ eventType }) => eventWord(eventType ?? '')),
    },
    { name: 'eventId', header: 'ID', keep: true },
    { name: 'deliveryId', header: 'DELIVERY', givesWay: true },
    { name: 'lastDeliveryStatus', header: 'WEBHOOK', narrow: false },
  ],
}
