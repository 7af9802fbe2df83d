import { card, section } from './card.js'
import { eventWord } from './event-line.js'
import { plainLines, plainText, plainValue, safeJson } from './plain-text.js'
import { paint, type Style } from './style.js'
import { momentText, whenText } from './times.js'
import { cell, idOf, type View } from './view.js'

/** An event of the journal: times in RFC 3339, the body as JSON, or as text if it is not JSON. */
export interface ReceivedEvent {
  eventId: string
  eventType: string | null
  deliveryId: string | null
  occurredAt: string | null
  receivedAt: string
  source: string
  secret: string
  repeats: number
  conflicts: number
  event: unknown
}

/** A received event with its headers and forwards. */
export interface ReceivedEventInFull extends ReceivedEvent {
  timestampSeconds: number
  /** Names and values, unchanged. */
  headers: readonly (readonly [name: string, value: string])[]
  /** The targets that it was forwarded to. */
  forwards: readonly { url: string; state: string; attempts: number; status: number | null }[]
}

/** Received webhooks. */
export const logList: View<ReceivedEvent[]> = {
  id: idOf('eventId'),
  empty: 'No webhooks received yet. Start with dlv webhooks listen.',
  columns: [
    {
      name: 'receivedAt',
      header: 'RECEIVED',
      cell: cell<ReceivedEvent>(({ receivedAt }, style) => whenText(receivedAt, style)),
    },
    {
      name: 'eventType',
      header: 'EVENT',
      elastic: true,
      cell: cell<ReceivedEvent>(({ eventType }) => eventWord(eventType ?? '')),
    },
    { name: 'deliveryId', header: 'DELIVERY', givesWay: true },
    { name: 'secret', elastic: true, narrow: false },
    { name: 'repeats', align: 'right', narrow: false },
    { name: 'eventId', header: 'ID', keep: true },
  ],
}

/** A received event in full: times, headers, forwards and body. */
export function receivedEventCard(shown: ReceivedEventInFull, style: Style): string {
  const times = (count: number, what: string) =>
    count === 0 ? '' : `${count} ${count === 1 ? 'time' : 'times'} ${what}`
  const forwards = shown.forwards.map(({ url, state, attempts, status }) => {
    const ink = state === 'delivered' ? 'green' : state === 'pending' ? 'yellow' : 'red'
    const tries = attempts === 0 ? '' : `, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
    return `${plainText(url)}  ${paint(style, ink, state)}${status === null ? '' : ` ${status}`}${tries}`
  })
  const body = typeof shown.event === 'string' ? plainLines(shown.event) : safeJson(shown.event, 2)
  return card(
    `${paint(style, 'bold', plainText(shown.eventType ?? 'not an event'))}  ${plainText(shown.eventId)}`,
    [
      ['Delivery', plainValue(shown.deliveryId)],
      ['Occurred', momentText(shown.occurredAt, style)],
      ['Received', `${momentText(shown.receivedAt, style)}${shown.source === 'pull' ? ', pulled' : ''}`],
      ['Secret', plainText(shown.secret)],
      ['Repeated', times(shown.repeats, 'with the same body')],
      ['Conflicts', times(shown.conflicts, 'with another body, which was set aside')],
    ],
    style,
    [
      section('Forwarded', forwards, style),
      section(
        'Headers',
        shown.headers.map(([name, value]) => plainText(`${name}: ${value}`)),
        style,
      ),
      section('Body', body.split('\n'), style),
    ],
  )
}

/** A received event. */
export const receivedEventView: View<ReceivedEventInFull> = {
  id: idOf('eventId'),
  columns: [...logList.columns, { name: 'event' }],
  card: receivedEventCard,
}
