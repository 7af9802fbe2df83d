import type { TimeAndFaults } from '../../../wire/time.js'
import { spanText } from '../../models/text.js'
import { addressOf } from '../../state/router.js'
import { now } from '../../state/session.js'
import { Moment, Panel, StatusBadge } from '../pieces.js'

/** What falls due next on the sandbox's clock: steps of deliveries and webhooks, soonest first. */
export function DueNext({ all: { deliveries, webhooks } }: { all: TimeAndFaults }) {
  const rows = [
    ...deliveries.map(({ deliveryId, clientOrderReference, status, dueAt }) => ({
      key: deliveryId,
      dueAt,
      what: <a href={addressOf(`/deliveries/${deliveryId}`)}>{clientOrderReference}</a>,
      more: <StatusBadge status={status} />,
    })),
    ...webhooks.map(({ eventId, eventType, attempt, dueAt, url }) => ({
      key: `${eventId} ${url}`,
      dueAt,
      what: <a href={addressOf(`/events/${eventId}`)}>{eventType}</a>,
      more: <span class="dim">attempt {attempt} of 8</span>,
    })),
  ]
    .sort((one, other) => Date.parse(one.dueAt) - Date.parse(other.dueAt))
    .slice(0, 12)
  return (
    <Panel title="Due next">
      {rows.length === 0 ? (
        <p class="panel-body dim">Nothing happens by itself: no delivery is on autopilot, and no webhook waits.</p>
      ) : (
        <ul class="rows">
          {rows.map(({ key, dueAt, what, more }) => (
            <li key={key}>
              <span class="when">
                <Moment at={dueAt} /> <span class="dim">in {spanText(Math.max(0, Date.parse(dueAt) - now.value))}</span>
              </span>
              <span class="reference">{what}</span>
              {more}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
