import { signal } from '@preact/signals'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { type LiveItem, liveKinds } from '../../wire/live.js'
import { ChoiceField, SearchField } from '../components/fields.js'
import { DeliveryLink, Empty, EventLink, Heading, Moment, OutcomeBadge } from '../components/pieces.js'
import { Table, type TableColumn } from '../components/table.js'
import { eventTypesOf, filteredItems, filterOf } from '../models/live-filter.js'
import { count } from '../models/text.js'
import { commandFor } from '../state/command.js'
import { addKeys } from '../state/keys.js'
import { items, leftOut, reading } from '../state/live.js'
import { addressOf, place, setQuery } from '../state/router.js'

/** Maximum number of rows; a longer table would slow down each new line. */
const shownRows = 100

/** The lines at the moment of the pause. */
const held = signal<readonly LiveItem[] | undefined>(undefined)

const none = { q: '', kind: '', status: '', type: '' }

export function LiveScreen() {
  const { query } = place.value
  const all = held.value ?? items.value
  const filter = filterOf(query)
  const found = useMemo(() => filteredItems(all, filter), [all, query])
  const types = useMemo(() => eventTypesOf(all, filter.type), [all, filter.type])
  const isUnknown = all.length === 0 && (!reading.value.isRead || reading.value.failed !== undefined)
  const isPaused = held.value !== undefined
  const toggle = () => {
    held.value = held.value === undefined ? items.value : undefined
  }
  useLayoutEffect(() => addKeys([{ key: 'p', words: 'Pause or resume the stream', run: toggle }]), [])
  const waiting = isPaused ? items.value.length - all.length : 0
  return (
    <>
      <Heading title="Live">
        <span class="dim">
          {!isUnknown && count(found.length, 'line')}
          {leftOut.value > 0 && `, ${count(leftOut.value, 'more line')} left out in this flood`}
        </span>
      </Heading>
      <div class="filters">
        <SearchField placeholder="Order, event, request id, status" words="Search the stream" />
        <ChoiceField
          label="Kind"
          name="kind"
          value={filter.kind}
          choices={[['', 'all'], ...liveKinds.map((kind) => [kind, kind] as const)]}
        />
        <ChoiceField
          label="Status"
          name="status"
          value={filter.status}
          choices={[
            ['', 'all'],
            ['good', 'good'],
            ['bad', 'problems'],
            ['waiting', 'to be retried'],
          ]}
        />
        <ChoiceField
          label="Type"
          name="type"
          value={filter.type}
          choices={[['', 'all'], ...types.map((type) => [type, type] as const)]}
        />
        <button type="button" class="button plain" onClick={toggle}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        {waiting > 0 && <span class="dim">{count(waiting, 'new line')}</span>}
      </div>
      {found.length > 0 ? (
        <div class="panel">
          <Table columns={columns} rows={found.slice(0, shownRows)} keyOf={({ id }) => id} isFixed />
        </div>
      ) : isUnknown ? (
        <Empty
          title={reading.value.failed === undefined ? 'Reading what happens…' : 'The service could not be read.'}
        />
      ) : all.length === 0 ? (
        <Empty title="Nothing has happened yet.">
          <p>
            Create an order on <a href={addressOf('/deliveries')}>Deliveries</a>, or run{' '}
            <code>{commandFor('deliveries create')}</code>: its requests, events and webhooks appear here as they
            happen.
          </p>
        </Empty>
      ) : (
        <Empty title="No line matches.">
          <p>
            <button type="button" class="button plain" onClick={() => setQuery(none)}>
              Show all lines
            </button>
          </p>
        </Empty>
      )}
      {found.length > shownRows && (
        <p class="dim below">
          The newest {shownRows} of {found.length.toLocaleString('en-US')} lines. Search to see others.
        </p>
      )}
    </>
  )
}

const columns: readonly TableColumn<LiveItem>[] = [
  { name: 'Time', place: 'time', cell: ({ at }) => <Moment at={at} /> },
  { name: 'Kind', place: 'kind', cell: ({ kind }) => kind },
  {
    name: 'What',
    place: 'what',
    cell: ({ eventId, title }) => (eventId === undefined ? title : <EventLink eventId={eventId} type={title} />),
  },
  {
    name: 'Status',
    place: 'state',
    cell: ({ status, outcome }) =>
      status === '' ? null : <OutcomeBadge outcome={outcome}>{status.replaceAll('_', ' ')}</OutcomeBadge>,
  },
  {
    name: 'Delivery',
    place: 'order',
    cell: ({ deliveryId, reference }) => <DeliveryLink deliveryId={deliveryId} reference={reference} />,
  },
  {
    name: 'Detail',
    place: 'more',
    cell: ({ attempt = 1, detail, requestId }) => (
      <>
        {[attempt > 1 ? `attempt ${attempt}` : undefined, detail].filter((part) => part !== undefined).join(' · ')}
        {requestId !== undefined && <a href={addressOf('/live', { q: requestId })}>{requestId}</a>}
      </>
    ),
  },
]
