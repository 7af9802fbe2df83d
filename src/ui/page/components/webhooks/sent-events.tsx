import type { SentEventSummary, WebhookOverview } from '../../../wire/webhooks.js'
import { words } from '../../models/text.js'
import { addressOf, setQuery } from '../../state/router.js'
import { session } from '../../state/session.js'
import { DeliveryLink, EventLink } from '../links.js'
import { Empty, Moment, OutcomeBadge, Panel } from '../pieces.js'
import { Shortened } from '../shortened.js'
import { Table, type TableColumn } from '../table.js'

/** The events whose webhooks were sent, or why there are none. */
export function SentEvents({ all: { events, matching, receivers }, search }: { all: WebhookOverview; search: string }) {
  if (events.length > 0)
    return (
      <Panel
        title="Events that were sent"
        actions={events.length < matching ? <span class="dim">the newest {events.length}</span> : undefined}
      >
        <Shortened items={events} first={20}>
          {(shown) => <Table columns={columns} rows={shown} keyOf={({ eventId }) => eventId} />}
        </Shortened>
      </Panel>
    )
  if (search !== '')
    return (
      <Empty title="No event that was sent matches.">
        <p>
          <button type="button" class="button plain" onClick={() => setQuery({ q: '' })}>
            Show all events
          </button>
        </p>
      </Empty>
    )
  return (
    <Empty title="No webhook has been sent yet.">
      {session.value?.hasControl === true && (
        <p>
          {receivers.length === 0 ? 'Add a receiver, then create' : 'Create'} an order on{' '}
          <a href={addressOf('/deliveries')}>Deliveries</a>: each step of it sends a webhook.
        </p>
      )}
    </Empty>
  )
}

function outcomeOf(status: string) {
  return status === 'failed' ? 'bad' : status === 'pending' ? 'waiting' : status === 'delivered' ? 'good' : 'neutral'
}

const columns: readonly TableColumn<SentEventSummary>[] = [
  { name: 'Occurred', place: 'time', cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
  { name: 'Event', place: 'what', cell: ({ eventId, eventType }) => <EventLink eventId={eventId} type={eventType} /> },
  {
    name: 'Delivery',
    place: 'order',
    cell: ({ deliveryId, reference }) => <DeliveryLink deliveryId={deliveryId} reference={reference} />,
  },
  {
    name: 'Status',
    place: 'state',
    cell: ({ lastDeliveryStatus }) => (
      <OutcomeBadge outcome={outcomeOf(lastDeliveryStatus)}>{words(lastDeliveryStatus)}</OutcomeBadge>
    ),
  },
  {
    name: 'Attempts',
    place: 'kind',
    cell: ({ deliveryAttempts }) => (
      <>
        {deliveryAttempts}
        <span class="unit">{deliveryAttempts === 1 ? ' attempt' : ' attempts'}</span>
      </>
    ),
  },
]
