import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import type { Done } from '../../../wire/deliveries.js'
import type { CancellationCost, ListPage, ListRow, SortColumn } from '../../../wire/list.js'
import type { MissingAccount } from '../../../wire/session.js'
import { problemOfRow } from '../../models/board.js'
import { command, count, minuteText, priceText } from '../../models/text.js'
import { accounts, areSeveral, chosenAccount, keyOf, within } from '../../state/accounts.js'
import { get, post } from '../../state/api.js'
import { isFailing, onNews } from '../../state/live.js'
import { sayFailure } from '../../state/messages.js'
import { place, setQuery } from '../../state/router.js'
import { nowOf, session } from '../../state/session.js'
import { accountNamed, OfAccount } from '../account.js'
import { AccountBadge } from '../account-fields.js'
import { Action } from '../action.js'
import { Dialog } from '../dialog.js'
import { useLoaded, useMedia } from '../hooks.js'
import { Empty, NoMatch, StandingBadges, Unread } from '../pieces.js'

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

/** The selected rows by their keys. */
type Selection = ReadonlyMap<string, ListRow>

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

interface ReadPages {
  key: string
  rows: ListRow[]
  next: string | null
  total: number
  missing: readonly MissingAccount[]
}

/** Pages of the list, each read when it is asked for; after news, what was read is read again. */
function usePages(query: Record<string, string> & { account?: string }) {
  const key = JSON.stringify(query)
  const [pages, setPages] = useState<ReadPages | undefined>()
  const isReading = useRef(false)
  const newest = useRef(pages)
  newest.current = pages
  const readPage = useCallback(
    async (after: string | undefined, limit: number) =>
      get<ListPage>(
        `/list?${new URLSearchParams({ ...query, limit: String(limit), ...(after === undefined ? {} : { after }) })}`,
      ),
    [key],
  )
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let again: ReturnType<typeof setTimeout> | undefined
    const begin = async () => {
      try {
        const { rows: read, next, total, missing = [] } = await readPage(undefined, pageRows)
        const rows = read.map((row) => ({ ...row, account: row.account ?? query.account }))
        // One that was late may have answered by then.
        if (missing.length > 0 && !isOver) again = setTimeout(() => void begin(), refreshMs)
        const known = newest.current
        // Somebody who has read on is not sent back to the beginning.
        if (isOver || (known?.key === key && known.rows.length > pageRows)) return
        setPages({ key, rows, next, total: total ?? rows.length, missing })
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
      clearTimeout(again)
      stop()
    }
  }, [key, readPage])
  const more = async () => {
    const known = newest.current
    if (isReading.current || known === undefined || known.next === null) return
    isReading.current = true
    try {
      const { rows: read, next } = await readPage(known.next, pageRows)
      const rows = read.map((row) => ({ ...row, account: row.account ?? query.account }))
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
    missing: pages?.missing ?? [],
    isRead: pages !== undefined,
    isEnd: pages?.next === null,
    more: () => void more(),
  }
}

/** The selected deliveries of each account: what is done is done in each by itself. */
function byAccount(selected: Selection): [account: string | undefined, deliveryIds: string[]][] {
  const groups = new Map<string | undefined, string[]>()
  for (const { account, deliveryId } of selected.values())
    groups.set(account, [...(groups.get(account) ?? []), deliveryId])
  return [...groups]
}

const named = (account: string | undefined, text: string) => (account === undefined ? text : `${account}: ${text}`)

/** What can be done with the selected deliveries. */
function Selected({ selected, clear }: { selected: Selection; clear(): void }) {
  const [isCancelling, setCancelling] = useState(false)
  if (selected.size === 0) return null
  const groups = byAccount(selected)
  const can = (is: (account: ReturnType<typeof accountNamed>) => boolean) =>
    groups.every(([name]) => is(accountNamed(name)))
  return (
    <>
      <strong>{selected.size.toLocaleString('en-US')} selected</strong>
      {can(({ isReadOnly }) => !isReadOnly) && (
        <button type="button" class="button danger" onClick={() => setCancelling(true)}>
          Cancel the selected
        </button>
      )}
      {can(({ about }) => about.hasControl === true) && (
        <OfAccount name={groups[0]?.[0]}>
          <Action
            label="Replay their webhooks"
            command={replayCommand(groups)}
            run={async () => {
              const said: string[] = []
              for (const [account, deliveryIds] of groups)
                said.push(named(account, (await post<Done>(within(account, '/list/replay'), { deliveryIds })).message))
              return said.join(' ')
            }}
          />
        </OfAccount>
      )}
      <button type="button" class="button plain" onClick={clear}>
        Select none
      </button>
      {isCancelling && (
        <CancelSelected
          groups={groups}
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

type Groups = ReturnType<typeof byAccount>

/** Commands one after the other, each of its account; the first begins as that of its account does. */
function commandsOf(commands: readonly (readonly [account: string | undefined, words: string])[]): string {
  return commands.map(([account, words], at) => (at === 0 ? words : accountNamed(account).command(words))).join('; ')
}

/** A command for each delivery: it takes one. */
function replayCommand(groups: Groups): string {
  return commandsOf(
    groups.flatMap(([account, ids]) =>
      ids.map((id) => [account, command`events replay --delivery ${id} --to URL`] as const),
    ),
  )
}

interface CancelSelectedProps {
  groups: Groups
  onClose(): void
  onDone(): void
}

/** Says what cancelling them costs, for each account, before anything is sent. */
function CancelSelected({ groups, onClose, onDone }: CancelSelectedProps) {
  const paths = groups.map(([account, ids]) =>
    within(account, `/list/cancellation?${new URLSearchParams({ ids: ids.join(',') })}`),
  )
  const { value: costs } = useLoaded(
    () => Promise.all(paths.map((path) => get<CancellationCost>(path))),
    [paths.join()],
  )
  const ends = (costs ?? []).flatMap(
    ({ deliveryIds }, at): Groups => (deliveryIds.length === 0 ? [] : [[groups[at]?.[0], deliveryIds]]),
  )
  const selected = groups.reduce((sum, [, ids]) => sum + ids.length, 0)
  const underWay = ends.reduce((sum, [, ids]) => sum + ids.length, 0)
  return (
    <Dialog title={`Cancel ${count(selected, 'delivery')}?`} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        {costs === undefined ? (
          <Unread what="the fees" />
        ) : (
          costs.map((cost, at) => (
            <p key={groups[at]?.[0] ?? ''} class="fee">
              <AccountBadge name={groups[at]?.[0]} /> {costText(cost, groups[at]?.[1].length ?? 0)}
            </p>
          ))
        )}
        <footer class="dialog-actions">
          <button type="button" class="button plain" onClick={onClose}>
            Keep them
          </button>
          <OfAccount name={ends[0]?.[0]}>
            <Action
              label={`Cancel ${count(underWay, 'delivery')}`}
              kind="danger"
              disabled={underWay === 0}
              command={commandsOf(
                ends.map(([account, ids]) => [
                  account,
                  `deliveries cancel ${ids.map((id) => shellWord(id)).join(' ')} --reason customer_cancelled`,
                ]),
              )}
              run={async () => {
                try {
                  return await cancelled(ends)
                } finally {
                  onDone()
                }
              }}
            />
          </OfAccount>
        </footer>
      </form>
    </Dialog>
  )
}

/** Cancels them account by account; what one refuses holds back no other. */
async function cancelled(groups: Groups): Promise<string> {
  const said: string[] = []
  let failure: unknown
  for (const [account, deliveryIds] of groups)
    try {
      said.push(named(account, (await post<Done>(within(account, '/list/cancel'), { deliveryIds })).message))
    } catch (error) {
      failure ??= error
      said.push(named(account, error instanceof Error ? error.message : String(error)))
    }
  if (failure !== undefined) throw groups.length === 1 ? failure : new Error(said.join(' '))
  return said.join(' ')
}

function costText(cost: CancellationCost, selected: number): string {
  const ids = cost.deliveryIds
  const rest = cost.withoutFee > 0 ? ` and those of ${cost.withoutFee}, which the service says afterwards` : ''
  const ended = selected > ids.length ? ` ${count(selected - ids.length, 'delivery')} ended already.` : ''
  return `${count(ids.length, 'delivery')} under way, fees now: ${priceText(cost.feeCents, cost.currency)}${rest}.${ended}`
}
