import type { Market, MarketDelivery } from '../../../drawings/market-map.js'
import type { Position } from '../../../shared/math.js'
import { boardColumns, columnOf, lateMsOf, type Problem, problemOf, type Standing } from '../../../trade/problems.js'
import { timeMsOf } from '../../../trade/promise.js'
import { isActive } from '../../../trade/statuses.js'
import type { ListRow } from '../../wire/list.js'
import type { DeliverySummary } from '../../wire/live.js'
import { minuteText } from './text.js'

/** The columns of the board, in the order of `boardColumns`. */
const titles = {
  problems: 'Problems',
  dispatch: 'Waiting',
  pickup: 'To pickup',
  dropoff: 'To dropoff',
  other: 'Other',
  done: 'Done',
} as const

export interface Column {
  name: string
  /** They have ended: their number and the last few are enough. */
  isDone: boolean
  deliveries: readonly DeliverySummary[]
}

export function standingOf({
  status,
  since,
  updatedAt,
  createdAt,
  reason,
  promise,
  positionAt,
}: DeliverySummary): Standing {
  return {
    status,
    statusReasonCode: reason,
    sinceMs: timeMsOf(since ?? updatedAt ?? createdAt),
    promise: promise && { promisedByMs: Date.parse(promise.by), source: promise.source },
    positionMs: timeMsOf(positionAt),
  }
}

/** The problem of a delivery, in words and in milliseconds; `undefined` if none is known. */
export function problemNow(delivery: DeliverySummary, nowMs: number): Problem | undefined {
  return problemOf(standingOf(delivery), nowMs)
}

/** The problem of a delivery of the list. */
export function problemOfRow({ status, reason, since, promise }: ListRow, nowMs: number): Problem | undefined {
  return problemOf(standingOf({ status, reason, since, promise } as DeliverySummary), nowMs)
}

/** When a delivery under way is due: by the end of its window or another promise, and by its newest ETA. */
export function dueText({ status, promise, eta }: DeliverySummary, nowMs: number): string {
  if (!isActive(status)) return ''
  const promised = promise === undefined || promise.source === 'firstEta' ? '' : minuteText(promise.by, nowMs)
  const words = promise?.source === 'window' ? 'window ends' : 'promised by'
  const parts = [
    promised === '' ? '' : `${words} ${promised}`,
    eta === undefined ? '' : `ETA ${minuteText(eta, nowMs)}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

/** The board: late ones first in each column, then the ones that moved last. Columns of unknown statuses are shown if needed. */
export function columnsOf(
  deliveries: Iterable<DeliverySummary>,
  /** The time of an account's service. */
  nowOf: (account: string | undefined) => number,
): Column[] {
  const columns = new Map<string, DeliverySummary[]>(boardColumns.map((name) => [name, []]))
  for (const delivery of deliveries) {
    const standing = standingOf(delivery)
    const nowMs = nowOf(delivery.account)
    columns.get(columnOf(standing, problemOf(standing, nowMs), nowMs))?.push(delivery)
  }
  const lateMs = (delivery: DeliverySummary) => lateMsOf(standingOf(delivery), nowOf(delivery.account))
  return boardColumns
    .map((name) => ({ name, members: columns.get(name) ?? [] }))
    .filter(({ name, members }) => name !== 'other' || members.length > 0)
    .map(({ name, members }) => ({
      name: titles[name],
      isDone: name === 'done',
      deliveries: members.sort((one, other) => lateMs(other) - lateMs(one) || movedMs(other) - movedMs(one)),
    }))
}

function movedMs({ updatedAt, createdAt }: DeliverySummary): number {
  return timeMsOf(updatedAt ?? createdAt) ?? 0
}

/** A store with its deliveries under way, late ones first. */
export interface MarketGroup extends Omit<Market, 'at'> {
  /** The profile of its account, if the page shows several: each has its own stores. */
  account: string | undefined
  /** Tells it from all others. */
  key: string
  /** The store; the middle of the dropoffs if it is not known where that is. */
  at: Position | undefined
  /** Whether `at` is the store. */
  isStore: boolean
  deliveries: readonly (DeliverySummary & { lateMs: number; problem: string })[]
}

const unknownStore = 'no store'

/** The markets with deliveries under way, those with the most trouble first. */
export function marketsOf(
  deliveries: Iterable<DeliverySummary>,
  /** The time of an account's service. */
  nowOf: (account: string | undefined) => number,
): MarketGroup[] {
  const groups = new Map<string, { account: string | undefined; store: string; members: DeliverySummary[] }>()
  for (const delivery of deliveries) {
    if (!isActive(delivery.status)) continue
    const store = delivery.store ?? unknownStore
    const { account } = delivery
    const key = account === undefined ? store : `${account} ${store}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { account, store, members: [delivery] })
    else group.members.push(delivery)
  }
  return [...groups]
    .map(([key, { account, store, members }]): MarketGroup => {
      const nowMs = nowOf(account)
      const judged = members.map((delivery) => ({
        ...delivery,
        lateMs: lateMsOf(standingOf(delivery), nowMs),
        problem: problemNow(delivery, nowMs)?.text ?? '',
      }))
      const rank = ({ lateMs, problem }: { lateMs: number; problem: string }) => lateMs * 2 + Number(problem !== '')
      judged.sort((one, other) => rank(other) - rank(one))
      const from = members.find((delivery) => delivery.from !== undefined)?.from
      return {
        account,
        key,
        store,
        at: from ?? middleOf(members.flatMap(({ to }) => to ?? [])),
        isStore: from !== undefined,
        underWay: members.length,
        troubled: judged.filter(({ problem }) => problem !== '').length,
        deliveries: judged,
      }
    })
    .sort((one, other) => other.troubled - one.troubled || other.underWay - one.underWay)
}

function middleOf(places: readonly Position[]): Position | undefined {
  if (places.length === 0) return undefined
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    latitude: mean(places.map(({ latitude }) => latitude)),
    longitude: mean(places.map(({ longitude }) => longitude)),
  }
}

/** The deliveries of a market as they are drawn. */
export function drawnDeliveries(
  { deliveries }: MarketGroup,
  trailOf: (delivery: DeliverySummary) => readonly Position[],
): MarketDelivery[] {
  return deliveries.map((delivery) => {
    const { deliveryId, reference, to, gate, at, lateMs, problem } = delivery
    const trail = trailOf(delivery)
    return {
      id: deliveryId,
      name: reference,
      to,
      gate,
      trail: trail.length === 0 && at !== undefined ? [at] : trail,
      lateMinutes: Math.floor(lateMs / 60_000),
      isTroubled: problem !== '',
    }
  })
}
