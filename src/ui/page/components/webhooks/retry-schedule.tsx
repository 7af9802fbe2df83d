import type { DueWebhook } from '../../../wire/webhooks.js'
import { spanText } from '../../models/text.js'
import { now } from '../../state/session.js'
import { EventLink } from '../links.js'
import { Moment, Panel } from '../pieces.js'
import { Shortened } from '../shortened.js'
import { Table, type TableColumn } from '../table.js'

const columns: readonly TableColumn<DueWebhook>[] = [
  {
    name: 'Due',
    place: 'time',
    cell: ({ dueAt }) => (
      <>
        <Moment at={dueAt} /> <span class="dim">in {spanText(Math.max(0, Date.parse(dueAt) - now.value))}</span>
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
          {(shown) => <Table columns={columns} rows={shown} keyOf={({ eventId, url }) => `${eventId} ${url}`} />}
        </Shortened>
      )}
    </Panel>
  )
}
