import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DeliveryCreate } from '../../contract/index.js'
import { minuteMs } from '../../shared/durations.js'
import { seededRandom } from '../../shared/math.js'
import { advance, replan } from '../core/autopilot.js'
import { DeliveryDraft } from '../core/delivery-draft.js'
import type { Store } from '../core/geo/stores.js'
import { handlers } from '../core/handlers.js'
import { Refusal } from '../core/refusal.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { Account, Decision, DeliveryRow } from '../model.js'
import { type Dice, diceOf, reachOf, sampleOrder } from './order-samples.js'
import { type Course, courseFor, type Mix, mixRules, planCount, planOrders } from './plan.js'

interface HistoryOptions {
  /** Length of the period that ends now, in milliseconds. */
  overMs: number
  mix: Mix
  /** Makes the history repeatable. */
  seed: number
  /** Deliveries of an average day, or of the whole period. */
  volume: { perDay: number } | { count: number }
  stores: readonly Store[]
}

/** Deliveries written in one transaction. */
const BATCH = 20

/**
 * Writes the deliveries of a past period with everything that happened to them, each at its own moment; those that are
 * still active continue from there. The clock stays where it is, and no webhook is sent: the events are listed.
 */
export async function writeHistory(
  engine: Engine,
  account: Account,
  options: HistoryOptions,
): Promise<{ created: number; byStatus: Record<string, number> }> {
  const endMs = engine.clock.nowMs()
  const dice = diceOf(seededRandom(options.seed))
  const period = { startMs: endMs - options.overMs, endMs }
  const { mix, stores, volume } = options
  const orders =
    'count' in volume
      ? planCount({ ...period, ...volume }, stores, dice)
      : planOrders({ ...period, ...volume, mix }, stores, dice)
  const installations = [...engine.store.fixtures.installations().values()]
  const reaches = new Map(options.stores.map((store) => [store, reachOf(store, installations)]))
  const run = freeRun(engine, account, options.seed)
  const byStatus: Record<string, number> = {}
  for (let done = 0; done < orders.length; done += BATCH) {
    engine.store.write(() => {
      for (const [place, { atMs, store }] of orders.slice(done, done + BATCH).entries()) {
        const reach = reaches.get(store)
        if (reach === undefined) continue
        const number = String(done + place + 1).padStart(5, '0')
        const order = sampleOrder(`${run}-${number}`, store, reach, dice)
        const course = courseFor(options.mix, dice.fraction())
        const variety = `${options.seed} ${number}`
        const status = writeDelivery(engine, account, { order, course, atMs, endMs, variety, mix: options.mix, dice })
        byStatus[status] = (byStatus[status] ?? 0) + 1
      }
    })
    await nextTurn()
  }
  return { created: orders.length, byStatus }
}

/** The prefix of the references: the seed, unless a history with that seed exists already. */
function freeRun(engine: Engine, account: Account, seed: number): string {
  const run = `ORDER-${seed.toString(36).toUpperCase()}`
  const isTaken = engine.store.deliveries.byReference(account.accountId, `${run}-00001`) !== undefined
  return isTaken ? `${run}-${engine.identifiers.next('run', engine.clock.nowMs()).slice(-4)}` : run
}

interface Written {
  order: DeliveryCreate
  course: Course | undefined
  atMs: number
  endMs: number
  /** The seed of the delivery's random choices, instead of its id. */
  variety: string
  mix: Mix
  dice: Dice
}

function writeDelivery(engine: Engine, account: Account, written: Written): string {
  const { course, atMs, endMs, dice } = written
  let row = created(engine, account, written)
  const interventionMs =
    course === undefined || course.kind === 'outcome'
      ? undefined
      : atMs +
        Math.round(
          (course.afterMinutes[0] + dice.fraction() * (course.afterMinutes[1] - course.afterMinutes[0])) * minuteMs,
        )
  row = runUntil(engine, account, row, Math.min(endMs, interventionMs ?? endMs))
  if (interventionMs !== undefined && interventionMs < endMs) {
    row = intervene(engine, account, row, course, interventionMs)
    row = runUntil(engine, account, row, endMs)
  }
  return row.status
}

function created(engine: Engine, account: Account, { order, course, atMs, variety, mix }: Written): DeliveryRow {
  const body = { ...order, metadata: { ...order.metadata, ...scripted(course) } }
  const decide = (wanted: DeliveryCreate) =>
    handlers.createDelivery.decide(worldOf(engine, account, atMs), { body: wanted, rawBody: wanted })
  const decision = orRefused(() => decide(body)) ?? decide(withoutInstallation(body))
  const [row] = decision.deliveries ?? []
  if (row === undefined) throw new Error('A created delivery has no row.')
  // What falls due first was drawn from the id.
  const draft = new DeliveryDraft(worldOf(engine, account, atMs), {
    ...row,
    variety,
    delayFactor: mixRules[mix].delayFactor,
  })
  replan(draft)
  return commit(engine, decision, draft.row)
}

function scripted(course: Course | undefined): Record<string, string> {
  if (course?.kind === 'outcome') return { sandbox_outcome: course.outcome }
  return course?.kind === 'recovers' ? { sandbox_outcome: 'dispatch_recovers' } : {}
}

/** An installation may be closed at that moment, or have no driver with its credential: then the order goes into town. */
function orRefused(decide: () => Decision): Decision | undefined {
  try {
    return decide()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

function withoutInstallation(order: DeliveryCreate): DeliveryCreate {
  const { installation: _, unit: __, ...dropoff } = order.dropoff
  return { ...order, dropoff, handling: {} }
}

/** Runs the jobs that are due, each at its time. */
function runUntil(engine: Engine, account: Account, from: DeliveryRow, untilMs: number): DeliveryRow {
  let row = from
  while (row.nextDueAtMs !== undefined && row.nextDueAtMs <= untilMs) {
    const decision = advance(worldOf(engine, account, row.nextDueAtMs), row)
    const moved = decision.deliveries?.[0]
    if (moved === undefined) return row
    row = commit(engine, decision, moved)
  }
  return row
}

function intervene(
  engine: Engine,
  account: Account,
  row: DeliveryRow,
  course: Course | undefined,
  atMs: number,
): DeliveryRow {
  const world = worldOf(engine, account, atMs)
  const { deliveryId } = row
  const decision = orRefused(() =>
    course?.kind === 'cancelled'
      ? handlers.cancelDelivery.decide(world, { deliveryId, body: { reason: 'customer_cancelled' } })
      : handlers.updateDelivery.decide(world, {
          deliveryId,
          body: { dropoff: { instructions: 'Please try again.' } },
          rawBody: { dropoff: { instructions: 'Please try again.' } },
        }),
  )
  const changed = decision?.deliveries?.[0]
  return decision === undefined || changed === undefined ? row : commit(engine, decision, changed)
}

function commit(engine: Engine, { events }: Decision, row: DeliveryRow): DeliveryRow {
  engine.store.deliveries.save(row)
  for (const draft of events ?? [])
    engine.store.events.append(draft, JSON.stringify(draft.body), 'no_endpoint_configured')
  return row
}
