import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { DeliverySummary } from '../../wire/live.js'
import { hasWords } from '../../wire/search.js'
import { showsCommand } from '../components/action.js'
import { SearchField } from '../components/fields.js'
import { NewOrder } from '../components/new-order.js'
import { Age, Empty, Heading, ProblemBadge, StatusBadge } from '../components/pieces.js'
import { type Column, columnsOf, problemNow } from '../models/board.js'
import { count, words } from '../models/text.js'
import { commandFor } from '../state/command.js'
import { deliveries, isCut, loadDeliveries } from '../state/deliveries.js'
import { addKeys } from '../state/keys.js'
import { sayFailure } from '../state/messages.js'
import { addressOf, place, setQuery } from '../state/router.js'
import { now, session } from '../state/session.js'

/** Cards that a column shows at first. */
const shownCards = 15
/** A column with more cards is wider than others. */
const fewCards = 6

export function DeliveriesScreen() {
  const [isCreating, setCreating] = useState(false)
  const known = deliveries.value
  const search = place.value.query.get('q') ?? ''
  const found = useMemo(() => matching(known, search), [known, search])
  const canCreate = session.value !== undefined && !session.value.readOnly
  useEffect(() => {
    loadDeliveries().catch(sayFailure)
  }, [])
  useLayoutEffect(
    () => (canCreate ? addKeys([{ key: 'n', words: 'New order', run: () => setCreating(true) }]) : undefined),
    [canCreate],
  )
  return (
    <>
      <Heading title="Deliveries">
        {known !== undefined && (
          <span class="dim">
            {isCut.value ? 'the newest ' : ''}
            {count(found.length, 'delivery')}
          </span>
        )}
        {canCreate && (
          <button
            type="button"
            class="button primary"
            onClick={() => setCreating(true)}
            {...showsCommand(['deliveries template', commandFor('deliveries create --file -')].join(' | '))}
          >
            New order
          </button>
        )}
      </Heading>
      {known !== undefined && known.size > 0 && (
        <div class="filters">
          <SearchField placeholder="Order, status, store, reason, delivery id" words="Search the deliveries" />
        </div>
      )}
      {known?.size === 0 ? (
        <Empty title="No deliveries in the last 14 days.">
          {canCreate && (
            <p>
              Create one with <em>New order</em>
              {session.value?.hasControl === true && (
                <>
                  , or fill the sandbox with two weeks of them: <code>{commandFor('sandbox seed --over 14d')}</code>
                </>
              )}
            </p>
          )}
        </Empty>
      ) : known !== undefined && found.length === 0 ? (
        <Empty title="No delivery matches.">
          <p>
            <button type="button" class="button plain" onClick={() => setQuery({ q: '' })}>
              Show all deliveries
            </button>
          </p>
        </Empty>
      ) : (
        <div class="board">
          {columnsOf(found, now.value).map((column) => (
            <BoardColumn key={column.name} column={column} isRead={known !== undefined} />
          ))}
        </div>
      )}
      {isCut.value && (
        <p class="dim below">Older deliveries are left out; {commandFor('deliveries list')} has all of them.</p>
      )}
      {isCreating && <NewOrder onClose={() => setCreating(false)} />}
    </>
  )
}

/** The deliveries that have every word of the search. */
function matching(known: ReadonlyMap<string, DeliverySummary> | undefined, search: string): DeliverySummary[] {
  return [...(known?.values() ?? [])].filter(({ reference, deliveryId, status, store, reason }) =>
    hasWords([reference, deliveryId, status, words(status), store, reason].join(' '), search),
  )
}

/** Until the deliveries were read, a column has no number. */
function BoardColumn({ column, isRead }: { column: Column; isRead: boolean }) {
  const [most, setMost] = useState(shownCards)
  const number = column.deliveries.length
  const left = number - most
  const width = number === 0 ? 'none' : number > fewCards ? 'many' : ''
  return (
    <section class={`column ${width}`} aria-label={column.name}>
      <h2>
        {column.name} <span class="dim">{isRead ? number : '…'}</span>
      </h2>
      {number === 0 && <p class="column-empty dim">{isRead ? 'None' : 'Not read yet'}</p>}
      <ul>
        {column.deliveries.slice(0, most).map((delivery) => (
          <li key={delivery.deliveryId}>
            <Card delivery={delivery} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button type="button" class="button plain" onClick={() => setMost(most + 100)}>
          Show {Math.min(left, 100)} more
        </button>
      )}
    </section>
  )
}

function Card({ delivery }: { delivery: DeliverySummary }) {
  const { deliveryId, reference, status, store, updatedAt } = delivery
  const problem = problemNow(delivery, now.value)
  return (
    <a class="card" href={addressOf(`/deliveries/${deliveryId}`)}>
      <span class="card-line">
        <span class="reference">{reference}</span>
        <span class="dim">
          <Age at={updatedAt} />
        </span>
      </span>
      <span class="card-line">
        <span class="badges">
          <StatusBadge status={status} />
          {problem !== undefined && <ProblemBadge problem={problem} />}
        </span>
        <span class="dim">{store}</span>
      </span>
    </a>
  )
}
