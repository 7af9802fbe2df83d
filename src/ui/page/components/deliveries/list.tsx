import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ListRow, SortColumn } from '../../../wire/list.js'
import { problemOfRow } from '../../models/board.js'
import { count, minuteText, priceText } from '../../models/text.js'
import { accounts, areSeveral, chosenAccount, keyOf } from '../../state/accounts.js'
import { isFailing } from '../../state/live.js'
import { place, setQuery } from '../../state/router.js'
import { nowOf, session } from '../../state/session.js'
import { accountNamed } from '../account.js'
import { AccountBadge } from '../account-fields.js'
import { useMedia } from '../hooks.js'
import { Empty, NoMatch, StandingBadges, Unread } from '../pieces.js'
import { usePages } from './list-pages.js'
import { Selected, type Selection } from './selection.js'

/** Says that there are no deliveries, and how to get some. */
export function NoDeliveries({ title }: { title: string }) {
  const account = accountNamed(chosenAccount.value || undefined)
  const { about } = account
  return (
    <Empty title={title}>
      {about.readOnly === false && (
        <p>
          Create one with <em>New order</em>
          {about.hasControl ? (
            <>
              , or fill the sandbox with two weeks of them: <code>{account.command('sandbox seed --over 14d')}</code>
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
  /** What it sorts by; a list of several accounts is not sorted by them. */
  sort?: SortColumn
  width: number
  cell(row: ListRow): ComponentChildren
}

const time = (at: string | undefined, { account }: ListRow) =>
  at === undefined ? '' : <time title={at}>{minuteText(at, nowOf(account))}</time>

const reference: ListedColumn = {
  key: 'reference',
  name: 'Order',
  sort: 'client_order_reference',
  width: 150,
  cell: ({ account, deliveryId, reference }) => (
    <a class="reference" href={accountNamed(account).addressOf(`/deliveries/${deliveryId}`)} title={reference}>
      {reference}
    </a>
  ),
}
const status: ListedColumn = {
  key: 'status',
  name: 'Status',
  sort: 'status',
  width: 310,
  cell: (row) => <StandingBadges status={row.status} problem={problemOfRow(row, nowOf(row.account))} />,
}
const ofAccount: ListedColumn = {
  key: 'account',
  name: 'Account',
  width: 130,
  cell: ({ account }) => (
    <span class="badges">
      <AccountBadge name={account} />
    </span>
  ),
}
/** The width of that column: of two accounts whose names begin alike, the end tells them apart. */
function accountPixels(): number {
  const longest = Math.max(...accounts.value.map(({ profile }) => profile.length))
  return Math.min(280, Math.max(ofAccount.width, 50 + 7.5 * longest))
}
const columns: readonly ListedColumn[] = [
  reference,
  status,
  { key: 'since', name: 'Since', sort: 'status_since', width: 100, cell: (row) => time(row.since, row) },
  { key: 'store', name: 'Store', sort: 'store_reference', width: 104, cell: ({ store }) => store },
  { key: 'created', name: 'Created', sort: 'created_at', width: 100, cell: (row) => time(row.createdAt, row) },
  { key: 'promised', name: 'Promised', sort: 'promised_by', width: 100, cell: (row) => time(row.promise?.by, row) },
  { key: 'eta', name: 'ETA', sort: 'newest_eta', width: 100, cell: (row) => time(row.eta, row) },
  { key: 'ended', name: 'Ended', sort: 'ended_at', width: 100, cell: (row) => time(row.endedAt, row) },
  { key: 'zip', name: 'ZIP', sort: 'postal_code', width: 70, cell: ({ postalCode }) => postalCode },
  {
    key: 'price',
    name: 'Price',
    sort: 'total_price_cents',
    width: 84,
    cell: ({ totalCents, currency }) => (totalCents === undefined ? '' : priceText(totalCents, currency)),
  },
]
/** The columns that fit, unless others were chosen. */
const usual = 'reference,status,since,store,created,promised,eta,price'
const usualMedium = 'reference,status,since,store,eta'
/** On a narrow screen, a row has the status below the reference. */
const usualNarrow = 'reference'

const lowPixels = 34
/** On a narrow screen a row has two lines. */
const tallPixels = 54
const pickPixels = 34
/** Deliveries that one action is for. */
const mostSelected = 200
/** Rows above and below those in view. */
const spareRows = 6

/** Every delivery of the archive, in pages that are read as they come into view; only the rows in view are drawn. */
export function DeliveriesList() {
  const { query } = place.value
  const search = query.get('q') ?? ''
  const sort = (query.get('sort') ?? 'created_at') as SortColumn
  const isDescending = query.get('order') !== 'asc'
  const account = chosenAccount.value
  const { rows, total, missing, isRead, isEnd, more } = usePages({
    q: search,
    sort,
    order: isDescending ? 'desc' : 'asc',
    ...(account === '' ? {} : { account }),
  })
  const [selected, setSelected] = useState<Selection>(new Map())
  const isMedium = useMedia('(max-width: 1150px)')
  const isNarrow = useMedia('(max-width: 840px)')
  const asked = query.get('columns')
  const isTall = isNarrow && asked === null
  const chosen = (asked ?? (isNarrow ? usualNarrow : isMedium ? usualMedium : usual)).split(',')
  const shown = columns
    .filter(({ key }) => chosen.includes(key) || key === 'reference')
    .flatMap((column) =>
      column === reference && areSeveral.value && !isTall
        ? [column, { ...ofAccount, width: accountPixels() }]
        : [column],
    )
  const toggle = (row: ListRow) => {
    const next = new Map(selected)
    if (!next.delete(keyOfRow(row))) next.set(keyOfRow(row), row)
    setSelected(next)
  }
  if (!isRead) return <Unread what="the deliveries into the archive" />
  return (
    <>
      <div class="list-head">
        <span class="dim" role="note">
          {count(total, 'delivery')}
        </span>
        <Selected selected={selected} clear={() => setSelected(new Map())} />
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
      {missing
        .filter(({ account }) => !isFailing(account))
        .map((one) => (
          <p key={one.account} class="problem">
            {one.account}: {one.message} What is shown of it is from before.
          </p>
        ))}
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
          select={(chosenRows) => setSelected(new Map(chosenRows.map((row) => [keyOfRow(row), row])))}
          isEnd={isEnd}
          isTall={isTall}
        />
      )}
    </>
  )
}

const keyOfRow = ({ account, deliveryId }: ListRow) => keyOf(account, deliveryId)

interface RowsProps {
  rows: readonly ListRow[]
  shown: readonly ListedColumn[]
  sort: SortColumn
  isDescending: boolean
  selected: Selection
  isEnd: boolean
  isTall: boolean
  /** Whether something can be done with selected rows. */
  canSelect: boolean
  toggle(row: ListRow): void
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
                {by === undefined ? (
                  name
                ) : (
                  <button
                    type="button"
                    onClick={() => setQuery({ sort: by, order: by === sort && isDescending ? 'asc' : 'desc' })}
                  >
                    {name} {by === sort && <span aria-hidden="true">{isDescending ? '▾' : '▴'}</span>}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr style={{ height: `${from * rowPixels}px` }} />
          {rows.slice(from, to).map((row, index) => (
            <tr key={keyOfRow(row)} aria-rowindex={from + index + 2}>
              {canSelect && (
                <td class="pick">
                  <input
                    type="checkbox"
                    aria-label={`Select ${keyOf(row.account, row.reference)}`}
                    checked={selected.has(keyOfRow(row))}
                    onChange={() => toggle(row)}
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
                      {time(row.since, row)}
                    </span>
                  </div>
                  <span class="badges">
                    {status.cell(row)} <AccountBadge name={row.account} />
                  </span>
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
