import { accountById } from '../core/accounts.js'
import { advance } from '../core/autopilot.js'
import { commitDecision } from '../engine/commit.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { DeliveryRow } from '../model.js'

/** Maximum number of steps before requests get a turn. */
const MAX_STEPS_AT_ONCE = 100

/**
 * Makes the steps of deliveries that have fallen due, the earliest first, each at its own moment of virtual time.
 * `false` if there are more.
 */
export function runDueDeliveries(engine: Engine, nowMs: number): boolean {
  for (let step = 0; step < MAX_STEPS_AT_ONCE; step++) {
    const dueAtMs = engine.store.deliveries.nextDueAtMs()
    if (dueAtMs === undefined || dueAtMs > nowMs) return true
    engine.store.write(() => {
      const delivery = engine.store.deliveries.firstDue(nowMs)
      if (delivery !== undefined) stepDelivery(engine, delivery, nowMs)
    })
  }
  return false
}

function stepDelivery(engine: Engine, delivery: DeliveryRow, nowMs: number): void {
  const { nextDueAtMs = nowMs, ...rest } = delivery
  const account = accountById(delivery.accountId)
  // Without this a delivery that cannot be moved would be due forever.
  if (account === undefined) {
    engine.store.deliveries.save(rest)
    return
  }
  const decision = advance(worldOf(engine, account, nextDueAtMs), delivery)
  const moved = decision.deliveries?.find((candidate) => candidate.deliveryId === delivery.deliveryId)
  if (moved === undefined) engine.store.deliveries.save(rest)
  commitDecision(engine, decision, nextDueAtMs)
}
