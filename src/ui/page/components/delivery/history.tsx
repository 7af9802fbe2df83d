import type { EventSummary } from '../../../wire/deliveries.js'
import type { LiveItem } from '../../../wire/live.js'
import { addressOf } from '../../state/router.js'
import { EventLink } from '../links.js'
import { Moment, OutcomeBadge, Panel } from '../pieces.js'
import { Table, type TableColumn } from '../table.js'

const eventColumns: readonly TableColumn<EventSummary>[] = [
  { name: 'Time', place: 'time', cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
  { name: 'Event', place: 'what', cell: ({ eventId, eventType }) => <EventLink eventId={eventId} type={eventType} /> },
  { name: 'Webhook', place: 'state', cell: (event) => <WebhookState event={event} /> },
  { name: 'eventId', place: 'more', cell: ({ eventId }) => <code>{eventId}</code> },
]

export function DeliveryEvents({ events }: { events: readonly EventSummary[] }) {
  return (
    <Panel title="Events">
      <Table columns={eventColumns} rows={[...events].reverse()} keyOf={({ eventId }) => eventId} />
    </Panel>
  )
}

function WebhookState({ event }: { event: EventSummary }) {
  const { lastDeliveryStatus: status, deliveryAttempts } = event
  if (status === null) return <span class="dim">not known</span>
  if (status === 'no_endpoint_configured') return <span class="dim">not sent</span>
  const outcome = status === 'delivered' ? 'good' : status === 'pending' ? 'waiting' : 'bad'
  const attempts = (deliveryAttempts ?? 0) > 1 ? `, ${deliveryAttempts} attempts` : ''
  return <OutcomeBadge outcome={outcome}>{status + attempts}</OutcomeBadge>
}

const requestColumns: readonly TableColumn<LiveItem>[] = [
  { name: 'Time', place: 'time', cell: ({ at }) => <Moment at={at} /> },
  { name: 'Request', place: 'what', cell: ({ title }) => title },
  {
    name: 'Status',
    place: 'state',
    cell: ({ outcome, status }) => <OutcomeBadge outcome={outcome}>{status}</OutcomeBadge>,
  },
  {
    name: 'X-Request-Id',
    place: 'more',
    cell: ({ requestId }) =>
      requestId === undefined ? null : <a href={addressOf('/live', { q: requestId })}>{requestId}</a>,
  },
]

export function DeliveryRequests({ requests }: { requests: readonly LiveItem[] }) {
  return (
    <Panel title="Requests">
      <Table columns={requestColumns} rows={[...requests].reverse()} keyOf={({ id }) => id} />
    </Panel>
  )
}
