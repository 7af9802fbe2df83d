import { eventWord } from './event-view.js'
import { whenText } from './times.js'
import { cell, idOf, type View } from './view.js'

interface GapRow {
  eventId: string
  eventType: string | null
  occurredAt: string | null
}

/** Events that never arrived here. */
export const gapList: View<GapRow[]> = {
  id: idOf('eventId'),
  empty: 'No gaps: everything the service sent is here.',
  columns: [
    { name: 'occurredAt', header: 'WHEN', cell: cell<GapRow>(({ occurredAt }, style) => whenText(occurredAt, style)) },
    {
      name: 'eventType',
      header: 'EVENT',
      elastic: true,
      cell: cell<GapRow>(({ eventType }) => eventWord(eventType ?? '')),
    },
    { name: 'eventId', header: 'ID', keep: true },
    { name: 'deliveryId', header: 'DELIVERY', keep: true },
    { name: 'lastDeliveryStatus', header: 'WEBHOOK', narrow: false },
  ],
}
