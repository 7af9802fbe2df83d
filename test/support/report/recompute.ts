import type { EventRecord } from '../../../src/contract/index.js'

interface Snapshot {
  statusReasonCode?: string
  pricing: { totalPriceCents: number; tipAmountCents: number; cancellationFeeCents?: number }
  resolvedVerification: { dropoff: Record<string, { level: string }> }
  proofOfDelivery: { type: string }[]
}

/** The metrics once more, in a few lines of their own, from the events as `dlv events list` prints them. */
export function recomputed(events: readonly EventRecord[], fromMs: number, toMs: number) {
  const all = Object.values(Object.groupBy(events, ({ deliveryId }) => deliveryId ?? '')).map((list = []) => {
    const steps = list.map((event) => [event.eventType.slice(9), Date.parse(event.occurredAt), event] as const)
    const first = (...names: string[]) => steps.find(([name]) => names.includes(name))?.[1]
    const last = (name: string, before = Number.POSITIVE_INFINITY) =>
      steps.findLast(([found, at]) => found === name && at <= before)?.[1]
    const eta = steps.find(([name]) => name === 'eta_updated')?.[2].data as { eta: { dropoff: string } } | undefined
    const end = (list.at(-1)?.data as { delivery: Snapshot }).delivery
    const next = (name: string, after: number) => steps.find(([found, at]) => found === name && at >= after)?.[1]
    return {
      first,
      next,
      last,
      end,
      etaMs: eta === undefined ? undefined : Date.parse(eta.eta.dropoff),
      startMs: first('accepted') ?? steps[0]?.[1] ?? 0,
    }
  })
  const mine = all.filter(({ startMs }) => startMs >= fromMs && startMs < toMs)
  const spans = (of: (one: (typeof mine)[number]) => (number | undefined)[]) =>
    mine.flatMap((one) => {
      const [from, to] = of(one)
      return from === undefined || to === undefined ? [] : [(to - from) / 1_000]
    })
  const quantile = (values: readonly number[], p: number) => {
    const sorted = values.toSorted((one, other) => one - other)
    const at = p * (sorted.length - 1)
    const [low = 0, high = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
    return sorted.length === 0 ? null : low + (high - low) * (at - Math.floor(at))
  }
  const percentiles = (values: readonly number[]) => ({
    p50: quantile(values, 0.5),
    p90: quantile(values, 0.9),
    p95: quantile(values, 0.95),
    n: values.length,
  })
  const failedAt = (one: (typeof mine)[number]) => one.first('failed', 'return_in_progress')
  const delivered = mine.filter(({ first }) => first('delivered') !== undefined)
  const failed = mine.filter((one) => one.first('delivered') === undefined && failedAt(one) !== undefined)
  const cancelled = mine.filter(({ first }) => first('cancelled') !== undefined)
  const expired = mine.filter(({ first }) => first('expired') !== undefined)
  const errors = spans(({ first, etaMs }) => [etaMs, first('delivered')])
  const total = (list: typeof mine, of: (end: Snapshot) => number) => list.reduce((sum, { end }) => sum + of(end), 0)
  const waste =
    total(failed, ({ pricing }) => pricing.totalPriceCents) +
    total(cancelled, ({ pricing }) => pricing.cancellationFeeCents ?? 0)
  const price = total(delivered, ({ pricing }) => pricing.totalPriceCents)
  const ended = delivered.length + failed.length + cancelled.length + expired.length
  const promised = delivered.filter(({ etaMs }) => etaMs !== undefined)
  const types: Record<string, string> = {
    photo: 'photo',
    signature: 'signature',
    pinCode: 'pincode',
    barcode: 'barcode',
  }
  return {
    deliveries: mine.length,
    metrics: {
      timeToAssign: percentiles(spans(({ first }) => [first('accepted'), first('driver_assigned')])),
      toStore: percentiles(
        spans(({ first, last }) => {
          const store = last('driver_at_pickup', first('pickup_complete'))
          return [store === undefined ? undefined : last('driver_assigned', store), store]
        }),
      ),
      pickupDwell: percentiles(
        spans(({ first, last }) => [last('driver_at_pickup', first('pickup_complete') ?? 0), first('pickup_complete')]),
      ),
      drive: percentiles(
        spans(({ first, last }) => [
          last('pickup_complete', first('driver_at_dropoff') ?? 0),
          first('driver_at_dropoff'),
        ]),
      ),
      doorTime: percentiles(
        spans((one) => {
          const end = one.first('delivered') ?? failedAt(one)
          return [one.last('driver_at_dropoff', end ?? 0), end]
        }),
      ),
      clickToDoor: percentiles(
        spans(({ first }) => [first('scheduled') === undefined ? first('accepted') : undefined, first('delivered')]),
      ),
      etaError: { ...percentiles(errors.map(Math.abs)), p50: quantile(errors, 0.5) },
      onTime: {
        value:
          promised.filter(({ first, etaMs = 0 }) => (first('delivered') ?? 0) <= etaMs + 300_000).length /
          promised.length,
        n: promised.length,
        promise: 'firstEta',
      },
      completion: { value: delivered.length / ended, n: ended },
      returns: {
        value: failed.filter(({ first }) => first('returned') !== undefined).length / failed.length,
        n: failed.length,
        time: percentiles(
          spans((one) => (one.first('delivered') === undefined ? [failedAt(one), one.first('returned')] : [])),
        ),
      },
      dispatchTrouble: {
        value: mine.filter(({ first }) => first('dispatch_failed', 'reassigning') !== undefined).length / mine.length,
        n: mine.length,
        recovery: percentiles(
          spans(({ first, next }) => {
            const trouble = first('dispatch_failed', 'reassigning')
            if (trouble === undefined) return []
            return [trouble, next('driver_assigned', trouble)]
          }),
        ),
      },
      proof: {
        value:
          delivered.filter(({ end }) =>
            Object.entries(end.resolvedVerification.dropoff).every(
              ([name, { level }]) =>
                level !== 'required' ||
                types[name] === undefined ||
                end.proofOfDelivery.some(({ type }) => type === types[name]),
            ),
          ).length / delivered.length,
        n: delivered.length,
      },
    },
    money: {
      currency: 'USD',
      pricePerDropCents: Math.round(price / delivered.length),
      allInPerDropCents: Math.round((price + waste) / delivered.length),
      wasteCents: waste,
      tipsCents: total(delivered, ({ pricing }) => pricing.tipAmountCents),
    },
    unhappy: failed.length + cancelled.length + expired.length,
  }
}
