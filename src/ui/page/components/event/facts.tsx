import type { EventDetail } from '../../../wire/events.js'
import { addressOf } from '../../state/router.js'
import { Facts, Moment, Panel } from '../pieces.js'

/** What our receiver makes of the event, and what it is about. */
export function EventFacts({ detail }: { detail: EventDetail }) {
  const { eventId, occurredAt, receivedAt, deliveryId, reference, verdict, previous, following } = detail
  const link = (event: EventDetail['previous']) =>
    event === null ? null : <a href={addressOf(`/events/${event.eventId}`)}>{event.eventType}</a>
  const rows: (readonly [string, preact.ComponentChildren])[] = [
    ['Event', <span class="mono">{eventId}</span>],
    ['Occurred', <Moment at={occurredAt} />],
  ]
  if (receivedAt !== null) rows.push(['Received', <Moment at={receivedAt} />])
  if (deliveryId !== null)
    rows.push([
      'Delivery',
      <a class="reference" href={addressOf(`/deliveries/${deliveryId}`)}>
        {reference ?? deliveryId}
      </a>,
    ])
  if (previous !== null) rows.push(['Before it', link(previous)])
  if (following !== null) rows.push(['After it', link(following)])
  return (
    <Panel title="Verdict">
      <div class={`verdict ${verdict.state}`}>
        <p>{verdict.text}</p>
        {verdict.mistake !== null && (
          <p>
            Mistake: <code>{verdict.mistake}</code>
          </p>
        )}
        {verdict.hint !== null && <p class="dim">{verdict.hint}</p>}
      </div>
      <Facts rows={rows} />
    </Panel>
  )
}
