import type { Decision, DeliveryRow, World } from '../model.js'
import { planOf } from './autopilot-plan.js'
import { DeliveryDraft, outcomeOf } from './delivery-draft.js'
import { nextLocationMs, noteArrival, tellLocation } from './driver-movement.js'
import { earliestStartMs } from './trip-times.js'

/** More than any delivery can need: a plan that never ends is a mistake, not a long trip. */
const maximumSteps = 10_000

/**
 * Does everything about a delivery that has fallen due at `world.nowMs`, in order and each at its own moment. Call it
 * when `nextDueAtMs` is reached; `world.account` has to be the delivery's own.
 */
export function advance(world: World, delivery: DeliveryRow): Decision {
  const draft = new DeliveryDraft(world, delivery)
  for (let steps = 0; isDue(draft.row, world.nowMs); steps++) {
    if (steps === maximumSteps) throw new Error(`the plan of ${delivery.deliveryId} does not end`)
    takeStep(draft)
    replan(draft)
  }
  return { status: 200, body: undefined, ...outcomeOf(draft) }
}

/** Sets the time of the next automatic step. At the pace `manual` that is only the dispatch before a window. */
export function replan(draft: DeliveryDraft): void {
  const { world, row } = draft
  delete row.nextDueAtMs
  const isWaiting = row.status === 'scheduled' && earliestStartMs(row.order) !== undefined
  if (row.pace === 'manual' && !isWaiting) return
  const plan = planOf(world, row)
  if (plan === undefined) return
  const dueMs = nextLocationMs(world, row, plan.atMs) ?? plan.atMs
  // What happens at once has run ahead of the clock by a millisecond each: what follows it at once is due as well.
  row.nextDueAtMs = dueMs <= row.updatedAtMs ? Math.min(dueMs, world.nowMs) : dueMs
}

function takeStep(draft: DeliveryDraft): void {
  const { world, row } = draft
  const plan = planOf(world, row)
  const dueMs = row.nextDueAtMs
  if (plan === undefined || dueMs === undefined) return
  draft.happeningAt(dueMs)
  const locationMs = nextLocationMs(world, row, plan.atMs)
  if (locationMs !== undefined && locationMs <= dueMs) {
    const fromMs = row.history.at(-1)?.atMs ?? row.createdAtMs
    tellLocation(draft, dueMs, { fromMs, toMs: plan.atMs })
    return
  }
  plan.act(draft)
  noteArrival(draft)
}

function isDue(row: DeliveryRow, nowMs: number): boolean {
  return row.nextDueAtMs !== undefined && row.nextDueAtMs <= nowMs
}
