import { signal } from '@preact/signals'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { LiveItem, LiveKind } from '../../wire/live.js'
import { useAccount } from '../components/account.js'
import { AccountField } from '../components/account-fields.js'
import { ChoiceField, SearchField } from '../components/fields.js'
import { DeliveryLink, Empty, EventLink, Heading, Moment, NoMatch, OutcomeBadge } from '../components/pieces.js'
import { Table, type TableColumn } from '../components/table.js'
import {
  chainOf,
  eventTypesOf,
  filteredRows,
  filterOf,
  type LiveRow,
  rowKinds,
  rowsOf,
  stepsOf,
} from '../models/live-rows.js'
import { count, shortType, words } from '../models/text.js'
import { isShown } from '../state/accounts.js'
import { addKeys } from '../state/keys.js'
import { items, leftOut, reading } from '../state/live.js'
import { addressOf, place } from '../state/router.js'

/** Maximum number of rows; a longer table would slow down each new line. */
const shownRows = 100

/** The lines at the moment of the pause. */
const held = signal<readonly LiveItem[] | undefined>(undefined)

const none = { q: '', account: '', kind: '', status: '', type: '' }

export function LiveScreen() {
  const { query } = place.value
  const account = useAccount()
  const all = held.value ?? items.value
  const filter = filterOf(query)
  const rows = useMemo(() => rowsOf(all), [all])
  const found = useMemo(() => filteredRows(rows, filter).filter(({ account }) => isShown(account)), [rows, query])
  const types = useMemo(() => eventTypesOf(rows, filter.type), [rows, filter.type])
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
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
        <AccountField />
        <ChoiceField
          label="Kind"
          name="kind"
          value={filter.kind}
          choices={[['', 'all'], ...rowKinds.map((kind) => [kind, kind] as const)]}
        />
        <ChoiceField
          label="Status"
          name="status"
          value={filter.status}
          choices={[
            ['', 'all'],
            ['good', 'good'],
            ['bad', 'problems'],
            ['warn', 'to be retried'],
          ]}
        />
        <ChoiceField
          label="Type"
          name="type"
          value={filter.type}
          choices={[['', 'all'], ...types.map((type) => [type, shortType(type)] as const)]}
        />
        <button type="button" class="button plain" onClick={toggle}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        {waiting > 0 && <span class="dim">{count(waiting, 'new line')}</span>}
      </div>
      {found.length > 0 ? (
        <div class="panel">
          <Table
            columns={columnsWith(opened, (key) => setOpened((before) => toggled(before, key)))}
            rows={found.slice(0, shownRows)}
            keyOf={({ key }) => key}
            accountOf={({ account }) => account}
            moreOf={(row) => (opened.has(row.key) ? <Steps lines={stepsOf(row)} /> : undefined)}
            isFixed
          />
        </div>
      ) : isUnknown ? (
        <Empty
          title={reading.value.failed === undefined ? 'Reading what happens…' : 'The service could not be read.'}
        />
      ) : all.length === 0 ? (
        <Empty title={`Nothing has happened ${account.about.hasControl ? 'yet' : 'in the last hour'}.`}>
          <p>
            Create an order on <a href={addressOf('/deliveries')}>Deliveries</a>, or run{' '}
            <code>{account.command('deliveries create')}</code>: its requests, events and webhooks appear here as they
            happen.
          </p>
        </Empty>
      ) : (
        <NoMatch title="No line matches." all="lines" filters={none} />
      )}
      {found.length > shownRows && (
        <p class="dim below">
          The newest {shownRows} of {found.length.toLocaleString('en-US')} lines. Search to see others.
        </p>
      )}
    </>
  )
}

function toggled(keys: ReadonlySet<string>, key: string): Set<string> {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return next
}

function columnsWith(opened: ReadonlySet<string>, toggle: (key: string) => void): TableColumn<LiveRow>[] {
  return [
    { name: 'Time', place: 'time', cell: ({ at }) => <Moment at={at} /> },
    {
      name: 'What',
      place: 'what',
      cell: ({ eventId, title }) => (eventId === undefined ? title : <EventLink eventId={eventId} type={title} />),
    },
    {
      name: 'Delivery',
      place: 'order',
      cell: ({ deliveryId, reference }) => <DeliveryLink deliveryId={deliveryId} reference={reference} />,
    },
    {
      name: 'Sent, verdict, forwarded',
      place: 'state',
      cell: (row) => <Chain row={row} isOpen={opened.has(row.key)} toggle={() => toggle(row.key)} />,
    },
  ]
}

/** How each step is called in a chain. */
const stepNames: Readonly<Record<LiveKind, string>> = {
  request: '',
  event: '',
  attempt: 'sent',
  rejected: 'rejected',
  webhook: '',
  forward: 'forwarded',
}

/** The chain of an event, or the response to a request and the events that it caused; opened, each has a line. */
function Chain({ row, isOpen, toggle }: { row: LiveRow; isOpen: boolean; toggle(): void }) {
  const steps = chainOf(row)
  return (
    <span class="chain">
      <button type="button" class="chain-button" aria-expanded={isOpen} onClick={toggle}>
        {steps.length === 0 && <span class="dim">{words(row.lines[0]?.status ?? '')}</span>}
        {steps.map(({ id, kind, outcome, status, durationMs }, index) => (
          <span key={id}>
            {index > 0 && kind !== steps[index - 1]?.kind && <span class="dim">→ </span>}
            <OutcomeBadge outcome={outcome}>
              {`${/^\d/.test(status) ? stepNames[kind] : ''} ${words(status)}`.trim()}
            </OutcomeBadge>
            {durationMs !== undefined && <span class="dim"> {durationMs} ms</span>}
          </span>
        ))}
      </button>
      {row.caused?.eventId !== undefined && (
        <span class="dim">
          → <EventLink eventId={row.caused.eventId} type={row.caused.title} />
        </span>
      )}
    </span>
  )
}

/** Each line of a row, with its time and its details. */
function Steps({ lines }: { lines: readonly LiveItem[] }) {
  return (
    <ol class="steps">
      {lines.map(({ id, at, kind, status, outcome, attempt = 1, durationMs, detail, requestId, eventId }) => (
        <li key={id}>
          <Moment at={at} />
          <span>{kind}</span>
          <OutcomeBadge outcome={outcome}>{words(status) || 'seen'}</OutcomeBadge>
          <span class="dim">
            {[
              attempt > 1 ? `attempt ${attempt}` : undefined,
              durationMs === undefined ? undefined : `${durationMs} ms`,
              detail,
              kind === 'event' ? eventId : undefined,
            ]
              .filter((part) => part !== undefined)
              .join(' · ')}{' '}
            {requestId !== undefined && <a href={addressOf('/live', { q: requestId })}>{requestId}</a>}
          </span>
        </li>
      ))}
    </ol>
  )
}
