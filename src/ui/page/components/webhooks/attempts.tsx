import { roundedSpan } from '../../../../shared/durations.js'
import { webhookTone } from '../../../../trade/webhook-status.js'
import type { DueWebhook, WebhookOverview } from '../../../wire/webhooks.js'

import { keyOf } from '../../state/accounts.js'
import { nowOf } from '../../state/session.js'
import { EventLink, Moment, OutcomeBadge, Panel, Shortened } from '../pieces.js'
import { Table, type TableColumn } from '../table.js'

type Attempt = WebhookOverview['attempts'][number]

const attemptColumns: readonly TableColumn<Attempt>[] = [
  { name: 'Sent', place: 'time', cell: ({ sentAt }) => <Moment at={sentAt} /> },
  { name: 'Event', place: 'what', cell: ({ eventId, eventType }) => <EventLink eventId={eventId} type={eventType} /> },
  {
    name: 'Answer',
    place: 'state',
    cell: ({ outcome, statusCode }) => (
      <OutcomeBadge outcome={webhookTone(outcome)}>{statusCode ?? 'no answer'}</OutcomeBadge>
    ),
  },
  {
    name: 'Attempt',
    place: 'kind',
    cell: ({ attempt, durationMs }) => `${attempt} of 8, ${durationMs} ms`,
  },
  {
    name: 'Receiver',
    place: 'more',
    cell: ({ url, error }) => (
      <>
        <span class="mono">{url ?? 'a receiver that was removed'}</span>
        {error !== null && <span class="problem"> {error}</span>}
      </>
    ),
  },
]

/** The service's attempts to send webhooks, newest first. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return null
  return (
    <Panel title="Attempts" actions={<span class="dim">the newest</span>}>
      <Shortened items={attempts} first={10}>
        {(shown) => (
          <Table
            columns={attemptColumns}
            rows={shown}
            keyOf={({ account, eventId, attempt, sentAt, url }) =>
              keyOf(account, `${eventId} ${attempt} ${sentAt} ${url}`)
            }
            accountOf={({ account }) => account}
          />
        )}
      </Shortened>
    </Panel>
  )
}

const dueColumns: readonly TableColumn<DueWebhook>[] = [
  {
    name: 'Due',
    place: 'time',
    cell: ({ account, dueAt }) => (
      <>
        <Moment at={dueAt} /> <span class="dim">in {roundedSpan(Math.max(0, Date.parse(dueAt) - nowOf(account)))}</span>
      </>
    ),
  },
  { name: 'Event', place: 'what', cell: ({ eventId, eventType }) => <EventLink eventId={eventId} type={eventType} /> },
  { name: 'Attempt', place: 'kind', cell: ({ attempt }) => `${attempt} of 8` },
  { name: 'Receiver', place: 'more', cell: ({ url }) => <span class="mono">{url}</span> },
]

/** The retries to come, on the clock of the service. */
export function RetrySchedule({ due }: { due: readonly DueWebhook[] }) {
  return (
    <Panel title="Retry schedule" actions={<span class="dim">on the sandbox's clock</span>}>
      {due.length === 0 ? (
        <p class="panel-body dim">No webhook waits for a retry.</p>
      ) : (
        <Shortened items={due} first={10}>
          {(shown) => (
            <Table
              columns={dueColumns}
              rows={shown}
              keyOf={({ account, eventId, url }) => keyOf(account, `${eventId} ${url}`)}
              accountOf={({ account }) => account}
            />
          )}
        </Shortened>
      )}
    </Panel>
  )
}
