import { whenText } from './times.js'
import { cell, idOf, type View } from './view.js'

interface LogLine {
  receivedAt: string
}

/** Received webhooks. */
export const logList: View<LogLine[]> = {
  id: idOf('eventId'),
  empty: 'Nothing was received yet: dlv webhooks listen',
  columns: [
    {
      name: 'receivedAt',
      header: 'RECEIVED',
      cell: cell<LogLine>(({ receivedAt }, style) => whenText(receivedAt, style)),
    },
    { name: 'eventType', header: 'EVENT' },
    { name: 'deliveryId', header: 'DELIVERY', elastic: true },
    { name: 'secret', elastic: true, narrow: false },
    { name: 'repeats', align: 'right', narrow: false },
    { name: 'eventId', header: 'ID', elastic: true, narrow: false },
  ],
}
