import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { isActive } from '../../../trade/statuses.js'
import { hasWords } from '../../wire/list.js'
import type { DeliverySummary } from '../../wire/live.js'
import { OfAccount, useAccount } from '../components/account.js'
import { AccountBadge, AccountField } from '../components/account-fields.js'
import { DeliveriesList, NoDeliveries } from '../components/deliveries/list.js'
import { DeliveriesMap } from '../components/deliveries/map.js'
import { SearchField } from '../components/fields.js'
import { useMedia } from '../components/hooks.js'
import { NewOrder } from '../components/new-order.js'
import { Age, Heading, NoMatch, StandingBadges, Unread } from '../components/pieces.js'
import { type Column, columnsOf, dueText, problemNow } from '../models/board.js'
import { count, words } from '../models/text.js'
import { areSeveral, chosenAccount, isShown } from '../state/accounts.js'
import { deliveries, isCut, keyOfDelivery, loadDeliveries } from '../state/deliveries.js'
import { addKeys } from '../state/keys.js'
import { sayFailure } from '../state/messages.js'
import { addressOf, place } from '../state/router.js'
import { nowOf, session } from '../state/session.js'

/** Cards that a column shows at first. */
const shownCards = 15
const doneCards = 5

export function DeliveriesScreen() {
  const [isCreating, setCreating] = useState(false)
  const known = deliveries.value
  const search = place.value.query.get('q') ?? ''
  const view = viewNow()
  const chosen = chosenAccount.value
  const found = useMemo(() => matching(known, search), [known, search, chosen])
  const account = useAccount()
  const canCreate = !account.isReadOnly
  const isKnown = session.value !== undefined
  // Columns that lie below each other would move apart when they are read.
  const isStacked = useMedia('(max-width: 1000px)')
  const shownColumns = known === undefined && isStacked ? 1 : undefined
  // Which accounts there are has to be known first.
  useEffect(() => {
    if (isKnown) loadDeliveries().catch((error) => sayFailure(error, true))
  }, [isKnown, chosen])
  useLayoutEffect(
    () => (canCreate ? addKeys([{ key: 'n', words: 'New order', run: () => setCreating(true) }]) : undefined),
    [canCreate],
  )
  return (
    <>
      <Heading title="Deliveries">
        {known !== undefined && view !== 'list' && (
          <span class="dim">
            {view === 'map'
              ? `${found.filter(({ status }) => isActive(status)).length.toLocaleString('en-US')} under way`
              : isCut.value
                ? `${found.length.toLocaleString('en-US')} shown`
                : count(found.length, 'delivery')}
          </span>
        )}
        {canCreate && (
          <button
            type="button"
            class="button primary"
            onClick={() => setCreating(true)}
            {...account.shows(['deliveries template', account.command('deliveries create --file -')].join(' | '))}
          >
            New order
          </button>
        )}
      </Heading>
      <div class="filters">
        <SearchField
          placeholder={
            view === 'list' ? 'Order, name, phone, street, id, event' : 'Order, status, store, reason, delivery id'
          }
          words="Search the deliveries"
        />
        <AccountField />
        <Views />
      </div>
      {known?.size === 0 && view !== 'list' ? (
        <NoDeliveries title="No deliveries in the last 14 days." />
      ) : view === 'list' ? (
        <DeliveriesList />
      ) : known !== undefined && found.length === 0 ? (
        <NoMatch title="No delivery matches." all="deliveries" filters={{ q: '', account: '' }} />
      ) : view === 'map' ? (
        known === undefined ? (
          <Unread what="the deliveries" />
        ) : (
          <DeliveriesMap found={found} />
        )
      ) : (
        <div class="board">
          {columnsOf(found, nowOf)
            .slice(0, shownColumns)
            .map((column) => (
              <BoardColumn key={column.name} column={column} isRead={known !== undefined} />
            ))}
        </div>
      )}
      {isCut.value && view === 'board' && (
        <p class="dim below">
          Older deliveries that have ended are left out; <a href={addressOf('/deliveries', { view: 'list' })}>List</a>{' '}
          has all of them.
        </p>
      )}
      {isCreating && <NewOrder onClose={() => setCreating(false)} />}
    </>
  )
}

const views = ['board', 'map', 'list'] as const
const viewNames = { board: 'Board', map: 'Map', list: 'List' }

function viewNow(): (typeof views)[number] {
  const asked = place.value.query.get('view')
  return views.find((view) => view === asked) ?? 'board'
}

/** The views of the same search. */
function Views() {
  const shown = viewNow()
  const query = Object.fromEntries(place.value.query)
  return (
    <nav class="views" aria-label="Views">
      {views.map((view) => (
        <a key={view} href={addressOf('/deliveries', { ...query, view, market: '' })} aria-current={view === shown}>
          {viewNames[view]}
        </a>
      ))}
    </nav>
  )
}

/** The deliveries that have every word of the search. */
function matching(known: ReadonlyMap<string, DeliverySummary> | undefined, search: string): DeliverySummary[] {
  return [...(known?.values() ?? [])].filter(
    ({ account, reference, deliveryId, status, store, reason }) =>
      isShown(account) &&
      hasWords([reference, deliveryId, status, words(status), store, reason, account].join(' '), search),
  )
}

/** Columns share the width by the cards that they show. Until the deliveries were read, a column has no number. */
function BoardColumn({ column, isRead }: { column: Column; isRead: boolean }) {
  const [more, setMore] = useState(0)
  const number = column.deliveries.length
  const most = (column.isDone ? doneCards : shownCards) + more
  const left = number - most
  return (
    <section
      class={number === 0 ? 'column none' : 'column'}
      style={{ flexGrow: Math.max(0.3, Math.min(number, most)) }}
      aria-label={column.name}
    >
      <h2>
        {column.name}{' '}
        <span class="dim">
          {isRead ? number.toLocaleString('en-US') : '…'}
          {column.isDone && isCut.value && '+'}
        </span>
      </h2>
      {number === 0 && <p class="column-empty dim">{isRead ? 'None' : 'Not read yet'}</p>}
      <ul>
        {column.deliveries.slice(0, most).map((delivery) => (
          <li key={keyOfDelivery(delivery)}>
            <OfAccount name={delivery.account}>
              <Card delivery={delivery} />
            </OfAccount>
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button type="button" class="button plain" onClick={() => setMore(more + 100)}>
          Show {Math.min(left, 100)} more
        </button>
      )}
    </section>
  )
}

function Card({ delivery }: { delivery: DeliverySummary }) {
  const account = useAccount()
  const { deliveryId, reference, status, store, updatedAt, driver } = delivery
  const problem = problemNow(delivery, account.now())
  const due = dueText(delivery, account.now())
  return (
    <a class="card" href={account.addressOf(`/deliveries/${deliveryId}`)}>
      <span class="card-line">
        <span class="reference">{reference}</span>
        <span class="dim">
          <Age at={updatedAt} />
        </span>
      </span>
      {areSeveral.value ? (
        <span class="card-line">
          <StandingBadges status={status} problem={problem} />
          <AccountBadge name={delivery.account} />
        </span>
      ) : (
        <StandingBadges status={status} problem={problem} />
      )}
      <span class="card-line dim">
        <span>{[store, driver].filter((part) => part !== undefined).join(' · ')}</span>
        <span>{due}</span>
      </span>
    </a>
  )
}
