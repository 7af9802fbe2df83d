import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { DeliverySummary } from '../../wire/live.js'
import { showsCommand } from '../components/action.js'
import { Heading } from '../components/heading.js'
import { NewOrder } from '../components/new-order.js'
import { Age, Empty, StatusBadge } from '../components/pieces.js'
import { type Column, columnsOf, lateMs } from '../models/stages.js'
import { count, spanText, words } from '../models/text.js'
import { deliveries, isCut, loadDeliveries } from '../state/deliveries.js'
import { addKeys } from '../state/keys.js'
import { sayFailure } from '../state/messages.js'
import { addressOf } from '../state/router.js'
import { now, session } from '../state/session.js'

/** So many cards a column shows at first. */
const shownCards = 30

export function DeliveriesScreen() {
  const [isCreating, setCreating] = useState(false)
  const known = deliveries.value
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
            {count(known.size, 'delivery')}
          </span>
        )}
        {canCreate && (
          <button
            type="button"
            class="button primary"
            onClick={() => setCreating(true)}
            {...showsCommand('deliveries template | dlv deliveries create --file -')}
          >
            New order
          </button>
        )}
      </Heading>
      {known !== undefined && known.size === 0 && (
        <Empty title="No deliveries in the last 14 days.">
          <p>
            Create one here, or fill the sandbox: <code>dlv sandbox seed --over 14d</code>
          </p>
        </Empty>
      )}
      {known !== undefined && known.size > 0 && (
        <div class="board">
          {columnsOf(known.values(), now.value).map((column) => (
            <BoardColumn key={column.name} column={column} />
          ))}
        </div>
      )}
      {isCut.value && <p class="dim">Older deliveries are left out; dlv deliveries list has all of them.</p>}
      {isCreating && <NewOrder onClose={() => setCreating(false)} />}
    </>
  )
}

function BoardColumn({ column }: { column: Column }) {
  const [most, setMost] = useState(shownCards)
  const left = column.deliveries.length - most
  return (
    <section class="column" aria-label={column.name}>
      <h2>
        {column.name} <span class="dim">{column.deliveries.length}</span>
      </h2>
      {column.deliveries.length === 0 && <p class="column-empty dim">None</p>}
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
  const { deliveryId, reference, status, reason, store, updatedAt } = delivery
  const late = lateMs(delivery, now.value)
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
          {late > 0 && <span class="badge bad">{spanText(late)} late</span>}
        </span>
        <span class="dim">{reason === undefined ? store : words(reason)}</span>
      </span>
    </a>
  )
}
