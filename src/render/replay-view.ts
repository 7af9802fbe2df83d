import { plainText } from './plain-text.js'
import { paint } from './style.js'
import { cell, idOf, type View } from './view.js'

interface ReplayRow {
  eventId: string
  outcome: string
  status: number | null
  durationMs: number
  attempts: number
  error?: string
}

/** The result of each replayed event. */
export const replayList: View<ReplayRow[]> = {
  id: idOf('eventId'),
  empty: 'No events to replay.',
  columns: [
    { name: 'eventId', header: 'EVENT', keep: true },
    {
      name: 'outcome',
      cell: cell<ReplayRow>(({ outcome }, style) =>
        paint(style, outcome === 'failed' ? 'red' : outcome === 'held' ? 'yellow' : 'green', plainText(outcome)),
      ),
    },
    { name: 'status', align: 'right' },
    { name: 'durationMs', header: 'MS', align: 'right' },
    { name: 'attempts', align: 'right' },
    { name: 'error', elastic: true },
    { name: 'url', elastic: true, narrow: false },
  ],
}
