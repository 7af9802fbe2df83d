import type { EventRecord } from '../contract/index.js'
import { recordAt, textAt } from '../shared/json.js'
import { webhookStatusOf, webhookTone } from '../trade/webhook-status.js'
import { card, section } from './cards.js'
import { eventDetail, eventSubject, policyChanges } from './event-detail.js'
import { eventWord } from './event-line.js'
import { plainLines, plainText, plainValue, safeJson, textWidth } from './plain-text.js'
import { paint, type Style } from './style.js'
import { cell, idOf, type View } from './view.js'
import { momentText, toneInks, whenText } from './words.js'

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
    { name: 'data.installation.code', terminal: false },
    { name: 'data.changed', terminal: false },
  ],
}

/** The order; of an event that is about none, what it is about and, on a terminal, what changed. */
function subjectText({ eventType, data }: EventRecord, style: Style): string {
  const reference = textAt(recordAt(data, 'delivery'), 'clientOrderReference')
  if (reference !== undefined) return plainValue(reference)
  if (eventType.startsWith('delivery.') || !style.terminal) return ''
  const detail = style.columns < 100 ? briefly(policyChanges(data), style) : eventDetail(eventType, data, style)
  return [eventSubject(data), detail].filter((part) => part !== '').join(': ')
}

/** What changed in a word, beside which the time and the type of an event have room; on less than 70 columns no word has. */
function briefly(changes: readonly string[], { columns }: Style): string {
  if (columns < 70) return ''
  const [field = ''] = changes[0]?.split(' ') ?? []
  return changes.length > 1 ? `${changes.length} changes` : textWidth(field) <= 12 ? field : 'changed'
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
