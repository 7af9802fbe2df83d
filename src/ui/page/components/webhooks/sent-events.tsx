import { useState } from 'preact/hooks'
import { webhookTone } from '../../../../trade/webhook-status.js'
import type { SentEventSummary, WebhookOverview } from '../../../wire/webhooks.js'
import { noneSentText } from '../../models/event.js'
import { command, count, words } from '../../models/text.js'
import { keyOf } from '../../state/accounts.js'
import { addressOf } from '../../state/router.js'
import { session } from '../../state/session.js'
import { useAccount } from '../account.js'
import { Action } from '../action.js'
import { Dialog } from '../dialog.js'
import { DeliveryLink, Empty, EventLink, Moment, NoMatch, OutcomeBadge, Panel, Shortened } from '../pieces.js'
import { Table, type TableColumn } from '../table.js'

/** The events whose webhooks were sent, or why there are none. */
export function SentEvents({
  all: { events, matching, reach, receivers },
  search,
}: {
  all: WebhookOverview
  search: string
}) {
  if (events.length > 0)
    return (
      <Panel
        title="Events that were sent"
        actions={events.length < matching ? <span class="dim">the newest {events.length}</span> : undefined}
      >
        <Shortened items={events} first={20}>
          {(shown) => <Table columns={columns} rows={shown} keyOf={rowKey} accountOf={accountOf} />}
        </Shortened>
      </Panel>
    )
  if (search !== '') return <NoMatch title="No event that was sent matches." all="events" />
  return (
    <Empty title={noneSentText[reach]}>
      {session.value?.hasControl === true && (
        <p>
          {receivers.length === 0 ? 'Add a receiver, then create' : 'Create'} an order on{' '}
          <a href={addressOf('/deliveries')}>Deliveries</a>: each step of it sends a webhook.
        </p>
      )}
    </Empty>
  )
}

const rowKey = ({ account, eventId }: SentEventSummary) => keyOf(account, eventId)
const accountOf = ({ account }: SentEventSummary) => account

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
      <OutcomeBadge outcome={webhookTone(lastDeliveryStatus)}>{words(lastDeliveryStatus)}</OutcomeBadge>
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

/** Sending more events than this needs a confirmation, because without a search the selection may be accidental. */
const unasked = { withSearch: 500, withoutSearch: 100 }

interface SendAllProps {
  all: WebhookOverview
  search: string
  /** Sends them, and resolves with what to say. */
  send(): Promise<string>
}

/** Sends each event that matches the search once more; asks first if they are many. */
export function SendAll({ all, search, send }: SendAllProps) {
  const [isAsking, setAsking] = useState(false)
  const account = useAccount()
  const { canSend, matching, receivers } = all
  const command = commandOf(all)
  if (!canSend) return null
  if (matching <= (search === '' ? unasked.withoutSearch : unasked.withSearch))
    return <Action label="Send all that match" command={command} run={send} disabled={matching === 0} />
  const close = () => setAsking(false)
  return (
    <>
      <button type="button" class="button plain" onClick={() => setAsking(true)} {...account.shows(command)}>
        Send all that match
      </button>
      {isAsking && (
        <Dialog title={`Send ${count(matching, 'event')} again?`} onClose={close}>
          <form onSubmit={(event) => event.preventDefault()}>
            <p>
              {search === '' ? 'Every event that was sent before' : `Every event that matches “${search}”`} is sent once
              more to {count(receivers.length, 'receiver')}, the oldest first.
            </p>
            <footer class="dialog-actions">
              <button type="button" class="button plain" onClick={close}>
                Close
              </button>
              <Action
                label={`Send ${count(matching, 'event')}`}
                kind="primary"
                type="submit"
                command={command}
                run={async () => {
                  try {
                    return await send()
                  } finally {
                    close()
                  }
                }}
              />
            </footer>
          </form>
        </Dialog>
      )}
    </>
  )
}

/** No one command sends by a search of words, so that the ids of what is listed are passed on. */
function commandOf({ events }: WebhookOverview): string {
  const [first, ...others] = events
  if (first === undefined) return 'sandbox resend EVENT'
  const rest = others.length === 0 ? '' : `  # and ${others.length} more`
  return command`sandbox resend ${first.eventId}` + rest
}
