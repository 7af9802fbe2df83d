import type { Market, MarketDelivery } from '../../../drawings/market-map.js'
import type { Position } from '../../../shared/math.js'
import { lateMsOf } from '../../../trade/problems.js'
import { isActive } from '../../../trade/statuses.js'
import type { DeliverySummary } from '../../wire/live.js'
import { problemNow, standingOf } from './board.js'

/** A store with its deliveries under way, late ones first. */
export interface MarketGroup extends Omit<Market, 'at'> {
  /** The store; the middle of the dropoffs if it is not known where that is. */
  at: Position | undefined
  /** Whether `at` is the store. */
  isStore: boolean
  deliveries: readonly (DeliverySummary & { lateMs: number; problem: string })[]
}

export const unknownStore = 'no store'

/** The markets with deliveries under way, those with the most trouble first. */
export function marketsOf(deliveries: Iterable<DeliverySummary>, nowMs: number): MarketGroup[] {
  const groups = new Map<string, DeliverySummary[]>()
  for (const delivery of deliveries) {
    if (!isActive(delivery.status)) continue
    const store = delivery.store ?? unknownStore
    const group = groups.get(store)
    if (group === undefined) groups.set(store, [delivery])
    else group.push(delivery)
  }
  return [...groups]
    .map(([store, members]): MarketGroup => {
      const judged = members.map((delivery) => ({
        ...delivery,
        lateMs: lateMsOf(standingOf(delivery), nowMs),
        problem: problemNow(delivery, nowMs)?.text ?? '',
      }))
      const rank = ({ lateMs, problem }: { lateMs: number; problem: string }) => lateMs * 2 + Number(problem !== '')
      judged.sort((one, other) => rank(other) - rank(one))
      const from = members.find((delivery) => delivery.from !== undefined)?.from
      return {
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
  trailOf: (deliveryId: string) => readonly Position[],
): MarketDelivery[] {
  return deliveries.map(({ deliveryId, reference, to, gate, at, lateMs, problem }) => {
    const trail = trailOf(deliveryId)
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
