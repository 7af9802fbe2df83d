import type { EventSummary } from '../../../wire/deliveries.js'
import type { LiveItem } from '../../../wire/live.js'
import { addressOf } from '../../state/router.js'
import { Moment, OutcomeBadge, Panel } from '../pieces.js'

export function DeliveryEvents({ events }: { events: readonly EventSummary[] }) {
  return (
    <Panel title="Events">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Event</th>
            <th scope="col">Webhook</th>
            <th scope="col">eventId</th>
          </tr>
        </thead>
        <tbody>
          {[...events].reverse().map((event) => (
            <tr key={event.eventId}>
              <td class="time">
                <Moment at={event.occurredAt} />
              </td>
              <td>
                <a href={addressOf(`/events/${event.eventId}`)}>{event.eventType}</a>
              </td>
              <td>
                <WebhookState event={event} />
              </td>
              <td>
                <code class="dim">{event.eventId}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function WebhookState({ event }: { event: EventSummary }) {
  const { lastDeliveryStatus: status, deliveryAttempts } = event
  if (status === null || status === 'no_endpoint_configured') return <span class="dim">not sent</span>
  const outcome = status === 'delivered' ? 'good' : status === 'pending' ? 'waiting' : 'bad'
  const attempts = (deliveryAttempts ?? 0) > 1 ? `, ${deliveryAttempts} attempts` : ''
  return <OutcomeBadge outcome={outcome}>{status + attempts}</OutcomeBadge>
}

export function DeliveryRequests({ requests }: { requests: readonly LiveItem[] }) {
  return (
    <Panel title="Requests">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Request</th>
            <th scope="col">Status</th>
            <th scope="col">X-Request-Id</th>
          </tr>
        </thead>
        <tbody>
          {[...requests].reverse().map((request) => (
            <tr key={request.id}>
              <td class="time">
                <Moment at={request.at} />
              </td>
              <td class="what">{request.title}</td>
              <td>
                <OutcomeBadge outcome={request.outcome}>{request.status}</OutcomeBadge>
              </td>
              <td>
                {request.requestId !== undefined && (
                  <a href={addressOf('/live', { q: request.requestId })}>{request.requestId}</a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
