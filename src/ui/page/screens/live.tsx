import { signal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { type LiveItem, liveKinds } from '../../wire/live.js'
import { Heading } from '../components/heading.js'
import { Empty, Moment, OutcomeBadge } from '../components/pieces.js'
import { eventTypesOf, filteredItems, filterOf } from '../models/live-filter.js'
import { count } from '../models/text.js'
import { addKeys } from '../state/keys.js'
import { items } from '../state/live.js'
import { addressOf, place, setQuery } from '../state/router.js'

/** So many rows are drawn; a longer table would make each new line slow. */
const shownRows = 100

/** The lines at the moment of the pause. */
const held = signal<readonly LiveItem[] | undefined>(undefined)

export function LiveScreen() {
  const search = useRef<HTMLInputElement>(null)
  const { query } = place.value
  const all = held.value ?? items.value
  const filter = filterOf(query)
  const found = useMemo(() => filteredItems(all, filter), [all, query])
  const types = useMemo(() => eventTypesOf(all, filter.type), [all, filter.type])
  const isPaused = held.value !== undefined
  const toggle = () => {
    held.value = held.value === undefined ? items.value : undefined
  }
  useLayoutEffect(
    () =>
      addKeys([
        { key: '/', words: 'Search the stream', run: () => search.current?.focus() },
        { key: 'p', words: 'Pause or resume the stream', run: toggle },
      ]),
    [],
  )
  const waiting = isPaused ? items.value.length - all.length : 0
  return (
    <>
      <Heading title="Live">
        <span class="dim">{count(found.length, 'line')}</span>
      </Heading>
      <div class="filters">
        <label class="search">
          <span>Search</span>
          <input
            ref={search}
            type="search"
            value={query.get('q') ?? ''}
            onInput={(event) => setQuery({ q: event.currentTarget.value })}
          />
        </label>
        <label>
          <span>Kind</span>
          <select value={query.get('kind') ?? ''} onChange={(event) => setQuery({ kind: event.currentTarget.value })}>
            <option value="">all</option>
            {liveKinds.map((kind) => (
              <option key={kind} value={kind}>
                {kind}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Status</span>
          <select
            value={query.get('status') ?? ''}
            onChange={(event) => setQuery({ status: event.currentTarget.value })}
          >
            <option value="">all</option>
            <option value="good">good</option>
            <option value="bad">problems</option>
            <option value="waiting">to be retried</option>
          </select>
        </label>
        <label>
          <span>Type</span>
          <select value={filter.type} onChange={(event) => setQuery({ type: event.currentTarget.value })}>
            <option value="">all</option>
            {types.map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="button plain" onClick={toggle}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        {waiting > 0 && <span class="dim">{count(waiting, 'new line')}</span>}
      </div>
      {found.length === 0 ? (
        <Empty title={all.length === 0 ? 'Nothing has happened yet.' : 'No line matches.'}>
          {all.length === 0 && (
            <p>
              Create an order on <a href={addressOf('/deliveries')}>Deliveries</a>, or run{' '}
              <code>dlv deliveries create</code>.
            </p>
          )}
        </Empty>
      ) : (
        <Lines lines={found.slice(0, shownRows)} />
      )}
      {found.length > shownRows && <p class="dim">The newest {shownRows} are shown. Search to see others.</p>}
    </>
  )
}

function Lines({ lines }: { lines: readonly LiveItem[] }) {
  return (
    <div class="table-frame">
      <table class="lines">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Kind</th>
            <th scope="col">What</th>
            <th scope="col">Status</th>
            <th scope="col">Delivery</th>
            <th scope="col">Detail</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Line key={line.id} line={line} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Line({ line }: { line: LiveItem }) {
  const { kind, at, title, status, outcome, eventId, deliveryId, reference, requestId, detail } = line
  return (
    <tr>
      <td class="time">
        <Moment at={at} />
      </td>
      <td>
        <span class={`kind ${kind}`}>{kind}</span>
      </td>
      <td class="what">{eventId === undefined ? title : <a href={addressOf(`/events/${eventId}`)}>{title}</a>}</td>
      <td>{status !== '' && <OutcomeBadge outcome={outcome}>{status.replaceAll('_', ' ')}</OutcomeBadge>}</td>
      <td>
        {deliveryId !== undefined && (
          <a class="reference" href={addressOf(`/deliveries/${deliveryId}`)}>
            {reference ?? deliveryId}
          </a>
        )}
      </td>
      <td class="detail">
        {detail}
        {requestId !== undefined && <a href={addressOf('/live', { q: requestId })}>{requestId}</a>}
      </td>
    </tr>
  )
}
