import { eventWord } from './event-line.js'
import { whenText } from './times.js'
import { cell, idOf, type View } from './view.js'

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
