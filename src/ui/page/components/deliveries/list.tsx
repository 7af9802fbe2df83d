import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import type { Done } from '../../../wire/deliveries.js'
import type { CancellationCost, ListPage, ListRow, SortColumn } from '../../../wire/list.js'
import { problemOfRow } from '../../models/board.js'
import { command, count, minuteText, moneyText } from '../../models/text.js'
import { get, post } from '../../state/api.js'
import { onNews } from '../../state/live.js'
import { commandFor, sayFailure } from '../../state/messages.js'
import { addressOf, place, setQuery } from '../../state/router.js'
import { now, session } from '../../state/session.js'
import { Action } from '../action.js'
import { Dialog } from '../dialog.js'
import { useLoaded, useMedia } from '../hooks.js'
import { Empty, NoMatch, StandingBadges, Unread } from '../pieces.js'

/** Says that there are no deliveries, and how to get some. */
export function NoDeliveries({ title }: { title: string }) {
  const about = session.value
  return (
    <Empty title={title}>
      {about?.readOnly === false && (
        <p>
          Create one with <em>New order</em>
          {about.hasControl ? (
            <>
              , or fill the sandbox with two weeks of them: <code>{commandFor('sandbox seed --over 14d')}</code>
            </>
          ) : (
            '.'
          )}
        </p>
      )}
    </Empty>
  )
}

interface ListedColumn {
  key: string
  name: string
  /** What it sorts by. */
  sort: SortColumn
  width: number
  cell(row: ListRow): ComponentChildren
}

const time = (at: string | undefined) => (at === undefined ? '' : <time title={at}>{minuteText(at, now.value)}</time>)

const reference: ListedColumn = {
  key: 'reference',
  name: 'Order',
  sort: 'client_order_reference',
  width: 150,
  cell: ({ deliveryId, reference }) => (
    <a class="reference" href={addressOf(`/deliveries/${deliveryId}`)} title={reference}>
      {reference}
    </a>
  ),
}
const status: ListedColumn = {
  key: 'status',
  name: 'Status',
  sort: 'status',
  width: 310,
  cell: (row) => <StandingBadges status={row.status} problem={problemOfRow(row, now.value)} />,
}
const columns: readonly ListedColumn[] = [
  reference,
  status,
  { key: 'since', name: 'Since', sort: 'status_since', width: 100, cell: ({ since }) => time(since) },
  { key: 'store', name: 'Store', sort: 'store_reference', width: 104, cell: ({ store }) => store },
  { key: 'created', name: 'Created', sort: 'created_at', width: 100, cell: ({ createdAt }) => time(createdAt) },
  { key: 'promised', name: 'Promised', sort: 'promised_by', width: 100, cell: ({ promise }) => time(promise?.by) },
  { key: 'eta', name: 'ETA', sort: 'newest_eta', width: 100, cell: ({ eta }) => time(eta) },
  { key: 'ended', name: 'Ended', sort: 'ended_at', width: 100, cell: ({ endedAt }) => time(endedAt) },
  { key: 'zip', name: 'ZIP', sort: 'postal_code', width: 70, cell: ({ postalCode }) => postalCode },
  {
    key: 'price',
    name: 'Price',
    sort: 'total_price_cents',
    width: 84,
    cell: ({ totalCents, currency }) => (totalCents === undefined ? '' : moneyText(totalCents, currency)),
  },
]
/** The columns that fit, unless others were chosen. */
const usual = 'reference,status,since,store,created,promised,eta,price'
const usualMedium = 'reference,status,since,store,eta'
/** On a narrow screen, a row has the status below the reference. */
const usualNarrow = 'reference'

const pageRows = 300
const lowPixels = 34
/** On a narrow screen a row has two lines. */
const tallPixels = 54
const pickPixels = 34
/** Deliveries that one action is for. */
const mostSelected = 200
/** Rows above and below those in view. */
const spareRows = 6
/** The list is read again after news, at most this often. */
const refreshMs = 5_000

/** Every delivery of the archive, in pages that are read as they come into view; only the rows in view are drawn. */
export function DeliveriesList() {
  const { query } = place.value
  const search = query.get('q') ?? ''
  const sort = (query.get('sort') ?? 'created_at') as SortColumn
  const isDescending = query.get('order') !== 'asc'
  const { rows, total, isRead, isEnd, more } = usePages({ q: search, sort, order: isDescending ? 'desc' : 'asc' })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const isMedium = useMedia('(max-width: 1150px)')
  const isNarrow = useMedia('(max-width: 840px)')
  const asked = query.get('columns')
  const chosen = (asked ?? (isNarrow ? usualNarrow : isMedium ? usualMedium : usual)).split(',')
  const shown = columns.filter(({ key }) => chosen.includes(key) || key === 'reference')
  const toggle = (deliveryId: string) => {
    const next = new Set(selected)
    if (!next.delete(deliveryId)) next.add(deliveryId)
    setSelected(next)
  }
  if (!isRead) return <Unread what="the deliveries into the archive" />
  return (
    <>
      <div class="list-head">
        <span class="dim" role="note">
          {count(total, 'delivery')}
        </span>
        <Selected selected={selected} clear={() => setSelected(new Set())} />
        <details class="push">
          <summary>Columns</summary>
          <div class="column-choices">
            {columns.slice(1).map(({ key, name }) => (
              <label key={key}>
                <input
                  type="checkbox"
                  checked={chosen.includes(key)}
                  onChange={({ currentTarget: { checked } }) => {
                    const next = columns.filter((one) => (one.key === key ? checked : chosen.includes(one.key)))
                    setQuery({ columns: next.map((one) => one.key).join(',') })
                  }}
                />
                {name}
              </label>
            ))}
          </div>
        </details>
      </div>
      {rows.length === 0 ? (
        search === '' ? (
          <NoDeliveries title="The archive has no deliveries." />
        ) : (
          <NoMatch title="No delivery matches." all="deliveries" />
        )
      ) : (
        <Rows
          {...{ rows, shown, sort, isDescending, selected, toggle, more }}
          canSelect={session.value?.readOnly === false || session.value?.hasControl === true}
          select={(chosenRows) => setSelected(new Set(chosenRows.map(({ deliveryId }) => deliveryId)))}
          isEnd={isEnd}
          isTall={isNarrow && asked === null}
        />
      )}
    </>
  )
}

interface RowsProps {
  rows: readonly ListRow[]
  shown: readonly ListedColumn[]
  sort: SortColumn
  isDescending: boolean
  selected: ReadonlySet<string>
  isEnd: boolean
  isTall: boolean
  /** Whether something can be done with selected rows. */
  canSelect: boolean
  toggle(deliveryId: string): void
  select(rows: readonly ListRow[]): void
  more(): void
}

function Rows({
  rows,
  shown,
  sort,
  isDescending,
  selected,
  isEnd,
  isTall,
  canSelect,
  toggle,
  select,
  more,
}: RowsProps) {
  const rowPixels = isTall ? tallPixels : lowPixels
  const frame = useRef<HTMLElement>(null)
  const [first, setFirst] = useState(0)
  const seen = Math.ceil((frame.current?.clientHeight ?? window.innerHeight) / rowPixels)
  const width = shown.reduce((sum, column) => sum + column.width, canSelect ? pickPixels : 0)
  const from = Math.max(0, Math.min(first, rows.length - seen) - spareRows)
  const to = Math.min(rows.length, from + seen + 2 * spareRows)
  const look = () => setFirst(Math.floor((frame.current?.scrollTop ?? 0) / rowPixels))
  useEffect(() => {
    if (!isEnd && to > rows.length - 2 * seen) more()
  }, [to, rows.length, isEnd])
  return (
    <section class={`panel list${isTall ? ' tall' : ''}`} ref={frame} onScroll={look} aria-label="List of deliveries">
      <table aria-rowcount={isEnd ? rows.length + 1 : -1} style={isTall ? undefined : { width: `${width}px` }}>
        <thead>
          <tr>
            {canSelect && (
              <th scope="col" class="pick">
                <input
                  type="checkbox"
                  aria-label={`Select the first ${Math.min(mostSelected, rows.length)}`}
                  checked={selected.size > 0}
                  onChange={() => select(selected.size > 0 ? [] : rows.slice(0, mostSelected))}
                />
              </th>
            )}
            {shown.map(({ key, name, sort: by, width }) => (
              <th
                key={key}
                scope="col"
                style={isTall ? undefined : { width: `${width}px` }}
                aria-sort={by === sort ? (isDescending ? 'descending' : 'ascending') : 'none'}
              >
                <button
                  type="button"
                  onClick={() => setQuery({ sort: by, order: by === sort && isDescending ? 'asc' : 'desc' })}
                >
                  {name} {by === sort && <span aria-hidden="true">{isDescending ? '▾' : '▴'}</span>}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr style={{ height: `${from * rowPixels}px` }} />
          {rows.slice(from, to).map((row, index) => (
            <tr key={row.deliveryId} aria-rowindex={from + index + 2}>
              {canSelect && (
                <td class="pick">
                  <input
                    type="checkbox"
                    aria-label={`Select ${row.reference}`}
                    checked={selected.has(row.deliveryId)}
                    onChange={() => toggle(row.deliveryId)}
                  />
                </td>
              )}
              {isTall ? (
                <td>
                  <div class="card-line">
                    {reference.cell(row)}
                    <span class="dim">
                      {row.store && (
                        <>
                          <bdi>{row.store}</bdi> ·{' '}
                        </>
                      )}
                      {time(row.since)}
                    </span>
                  </div>
                  {status.cell(row)}
                </td>
              ) : (
                shown.map(({ key, cell }) => <td key={key}>{cell(row)}</td>)
              )}
            </tr>
          ))}
          <tr style={{ height: `${(rows.length - to) * rowPixels}px` }} />
        </tbody>
      </table>
    </section>
  )
}

/** Pages of the list, each read when it is asked for; after news, what was read is read again. */
function usePages(query: Record<string, string>) {
  const key = JSON.stringify(query)
  const [pages, setPages] = useState<{ key: string; rows: ListRow[]; next: string | null; total: number } | undefined>()
  const isReading = useRef(false)
  const newest = useRef(pages)
  newest.current = pages
  const read = useCallback(
    async (after: string | undefined, limit: number) =>
      get<ListPage>(
        `/list?${new URLSearchParams({ ...query, limit: String(limit), ...(after === undefined ? {} : { after }) })}`,
      ),
    [key],
  )
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const begin = async () => {
      try {
        const { rows, next, total } = await read(undefined, pageRows)
        const known = newest.current
        // Somebody who has read on is not sent back to the beginning.
        if (isOver || (known?.key === key && known.rows.length > pageRows)) return
        setPages({ key, rows, next, total: total ?? rows.length })
      } catch (error) {
        if (!isOver) sayFailure(error, true)
      }
    }
    timer = setTimeout(() => void begin(), newest.current === undefined ? 0 : 120)
    let isDue = false
    const stop = onNews((news) => {
      if (isDue || !news.some(({ delivery }) => delivery !== undefined)) return
      isDue = true
      timer = setTimeout(() => {
        isDue = false
        void begin()
      }, refreshMs)
    })
    return () => {
      isOver = true
      clearTimeout(timer)
      stop()
    }
  }, [key, read])
  const more = async () => {
    const known = newest.current
    if (isReading.current || known === undefined || known.next === null) return
    isReading.current = true
    try {
      const { rows, next } = await read(known.next, pageRows)
      const now = newest.current
      if (now?.key !== known.key) return
      // In place: with 100,000 rows, a copy for each page is work for whole frames.
      now.rows.push(...rows)
      setPages({ ...now, next })
    } catch (error) {
      sayFailure(error)
    } finally {
      isReading.current = false
    }
  }
  return {
    rows: pages?.rows ?? [],
    total: pages?.total ?? 0,
    isRead: pages !== undefined,
    isEnd: pages?.next === null,
    more: () => void more(),
  }
}

/** What can be done with the selected deliveries. */
function Selected({ selected, clear }: { selected: ReadonlySet<string>; clear(): void }) {
  const [isCancelling, setCancelling] = useState(false)
  if (selected.size === 0) return null
  const deliveryIds = [...selected]
  return (
    <>
      <strong>{selected.size.toLocaleString('en-US')} selected</strong>
      {session.value?.readOnly === false && (
        <button type="button" class="button danger" onClick={() => setCancelling(true)}>
          Cancel the selected
        </button>
      )}
      {session.value?.hasControl === true && (
        <Action
          label="Replay their webhooks"
          command={replayCommand(deliveryIds)}
          run={async () => (await post<Done>('/list/replay', { deliveryIds })).message}
        />
      )}
      <button type="button" class="button plain" onClick={clear}>
        Select none
      </button>
      {isCancelling && (
        <CancelSelected
          selected={deliveryIds}
          onClose={() => setCancelling(false)}
          onDone={() => {
            setCancelling(false)
            clear()
          }}
        />
      )}
    </>
  )
}

/** A command for each delivery: it takes one. */
function replayCommand(deliveryIds: readonly string[]): string {
  const [first = '', ...others] = deliveryIds.map((id) => command`events replay --delivery ${id} --to URL`)
  return [first, ...others.map(commandFor)].join('; ')
}

interface CancelSelectedProps {
  selected: readonly string[]
  onClose(): void
  onDone(): void
}

/** Says what cancelling them costs together before anything is sent. */
function CancelSelected({ selected, onClose, onDone }: CancelSelectedProps) {
  const path = `/list/cancellation?${new URLSearchParams({ ids: selected.join(',') })}`
  const { value: cost } = useLoaded(() => get<CancellationCost>(path), [path])
  const ids = cost?.deliveryIds ?? []
  return (
    <Dialog title={`Cancel ${count(selected.length, 'delivery')}?`} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        {cost === undefined ? (
          <Unread what="the fees" />
        ) : (
          <p class="fee">
            {count(ids.length, 'delivery')} under way, fees now: {moneyText(cost.feeCents, cost.currency)}
            {cost.withoutFee > 0 && ` and those of ${cost.withoutFee}, which the service says afterwards`}.
            {selected.length > ids.length && ` ${count(selected.length - ids.length, 'delivery')} ended already.`}
          </p>
        )}
        <footer class="dialog-actions">
          <button type="button" class="button plain" onClick={onClose}>
            Keep them
          </button>
          <Action
            label={`Cancel ${count(ids.length, 'delivery')}`}
            kind="danger"
            disabled={ids.length === 0}
            command={`deliveries cancel ${ids.map((id) => shellWord(id)).join(' ')} --reason customer_cancelled`}
            run={async () => {
              try {
                return (await post<Done>('/list/cancel', { deliveryIds: ids })).message
              } finally {
                onDone()
              }
            }}
          />
        </footer>
      </form>
    </Dialog>
  )
}
