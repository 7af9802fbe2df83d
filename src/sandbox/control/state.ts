import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { type DeliveryCreate, type KnownDeliveryStatus, limits } from '../../contract/index.js'
import { dayMs, hourMs, timeSpanMs } from '../../shared/durations.js'
import { accounts } from '../core/accounts.js'
import { ordinaryStores, usualStores } from '../core/geo/stores.js'
import { handlers } from '../core/handlers.js'
import { Refusal } from '../core/refusal.js'
import { accountsOf } from '../engine/accounts.js'
import { commitDecision } from '../engine/commit.js'
import { faultRulesOf } from '../engine/drawn-faults.js'
import { capacityOf, type Engine, isOut, secretsOf, switchesOf } from '../engine/engine.js'
import { nameState, resetStore, seedStore } from '../engine/seeding.js'
import { worldOf } from '../engine/world.js'
import { mixes } from '../history/plan.js'
import { writeHistory } from '../history/write-history.js'
import type { Account } from '../model.js'
import { isChallenge } from '../owner-proof/index.js'
import { defaultSwitches, switchSummaries } from '../switches.js'
import { accountAsNamed } from './accounts.js'
import { clockView } from './clock.js'
import { ControlAnswer, type ControlContext, type ControlRoutes } from './control-route.js'
import { endpointView } from './receivers.js'

const Reset = z.strictObject({
  /** Receivers stay registered. */
  keepEndpoints: z.boolean().optional(),
})
const Seed = z
  .strictObject({
    count: z.int().min(1).max(1_000_000).optional(),
    /** A past period: `14d`, `36h`; the deliveries have whole histories. */
    over: z.string().optional(),
    pace: z.literal('real').optional(),
    mix: z.enum(mixes).optional(),
    seed: z.int().min(0).max(0xffff_ffff).optional(),
    perDay: z.int().min(20).max(20_000).optional(),
    stores: z.int().min(1).max(ordinaryStores.length).optional(),
    accountId: z.string().optional(),
  })
  .refine(({ count, perDay }) => count === undefined || perDay === undefined, {
    path: ['perDay'],
    message: 'goes without count',
  })

/** The state as a whole: readiness, status, reset and seeding. */
export function stateRoutes({ engine, worker, log }: ControlContext): ControlRoutes {
  const { store } = engine
  const isReady = () => store.settings.get<boolean>('seeded') === true
  return {
    'GET /ready'({ query, reachedAt }) {
      const challenge = query.get('challenge') ?? ''
      const proof = isChallenge(challenge) ? engine.prove?.(challenge, reachedAt) : undefined
      return new ControlAnswer(isReady() ? 200 : 503, { ready: isReady(), ...(proof === undefined ? {} : { proof }) })
    },
    async 'POST /reset'(call) {
      const { keepEndpoints = false } = await call.body(Reset)
      const damagedFile = resetStore(engine, keepEndpoints)
      log.clear()
      return { reset: true, ...(damagedFile === undefined ? {} : { damagedFile }) }
    },
    'GET /status': () => ({
      data: store.path,
      publicUrl: engine.publicUrl(),
      clock: clockView(engine),
      outage: isOut(store),
      capacity: capacityOf(store) ?? null,
      rateLimit: engine.rateLimit ?? accounts[0].maxRequestsPerSecond,
      switches: switchesOf(store),
      switchDefaults: defaultSwitches,
      switchSummaries,
      faults: faultRulesOf(engine),
      endpoints: store.endpoints.list().map(endpointView),
      secrets: secretsOf(store, accounts[0].accountId).length,
      deliveries: store.deliveries.count(),
      events: store.events.count(),
      pendingWebhooks: store.webhooks.pendingCount(),
      accounts: accountsOf(store).map(({ accountId, apiKey, accountType, livemode }) => ({
        accountId,
        apiKey,
        accountType,
        livemode,
      })),
    }),
    async 'POST /seed'(call) {
      const { count, over, mix = 'typical', seed, perDay = 30, stores, accountId } = await call.body(Seed)
      const account = accountId === undefined ? accounts[0] : accountAsNamed(store, accountId)
      const deliveries =
        over === undefined
          ? await seedDeliveries(engine, account, count ?? 100)
          : await writeHistory(engine, account, {
              overMs: periodMs(over),
              mix,
              seed: seed ?? Math.floor(engine.random() * 2 ** 32),
              volume: count === undefined ? { perDay } : { count },
              stores: stores === undefined ? usualStores : ordinaryStores.slice(0, stores),
            })
      await worker.settled()
      return new ControlAnswer(201, { account: account.accountId, ...deliveries })
    },
  }
}

/** A period from an hour to as long as events are kept. */
function periodMs(text: string): number {
  const spanMs = timeSpanMs(text)
  const longestMs = limits.eventRetentionDays * dayMs
  if (spanMs !== undefined && spanMs >= hourMs && spanMs <= longestMs) return spanMs
  const message = `must be a span from 1h to ${limits.eventRetentionDays}d, not "${text.slice(0, 40)}"`
  throw new Refusal('VALIDATION_ERROR', `over ${message}.`, {
    fieldErrors: [{ field: 'over', code: 'INVALID_VALUE', message }],
  })
}

const Save = z.strictObject({
  /** Overwrites a snapshot of the same name. */
  force: z.boolean().default(false),
})

export function snapshotRoutes({ engine, snapshots }: ControlContext): ControlRoutes {
  return {
    'GET /snapshots': () => ({ snapshots: snapshots.list() }),
    async 'POST /snapshots/{name}'(call) {
      const { force } = await call.body(Save)
      return new ControlAnswer(201, snapshots.save(call.parameters.name ?? '', force))
    },
    'POST /snapshots/{name}/restore'(call) {
      const name = call.parameters.name ?? ''
      const restored = snapshots.restore(name)
      // A snapshot of an earlier version lacks installations.
      seedStore(engine)
      engine.store.write(() => nameState(engine))
      return { name, restored: true, ...restored }
    },
  }
}

/** Deliveries written in one transaction. */
const BATCH = 100

/** The statuses that mock deliveries reach, in turn; `accepted` is where they begin. */
const ends: readonly KnownDeliveryStatus[] = [
  'delivered',
  'accepted',
  'driver_enroute_to_dropoff',
  'delivered',
  'driver_assigned',
  'cancelled',
  'pickup_complete',
  'failed',
]

/** Creates deliveries by the ordinary rules and brings them to various statuses; answers with how many of each. */
async function seedDeliveries(
  engine: Engine,
  account: Account,
  count: number,
): Promise<{ created: number; byStatus: Record<string, number> }> {
  const byStatus: Record<string, number> = {}
  const run = engine.identifiers.next('mock', engine.clock.nowMs()).slice(-10)
  for (let done = 0; done < count; done += BATCH) {
    const batch = Math.min(BATCH, count - done)
    engine.store.write(() => {
      for (let index = done; index < done + batch; index++) {
        const status = createMock(engine, account, `MOCK-${run}-${index + 1}`, index)
        byStatus[status] = (byStatus[status] ?? 0) + 1
      }
    })
    await nextTurn()
  }
  return { created: count, byStatus }
}

function createMock(engine: Engine, account: Account, clientOrderReference: string, index: number): string {
  const nowMs = engine.clock.nowMs()
  const order = mockOrder(clientOrderReference, index)
  const created = handlers.createDelivery.decide(worldOf(engine, account, nowMs), { body: order, rawBody: order })
  commitDecision(engine, created, nowMs)
  const [delivery] = created.deliveries ?? []
  const advanceTo = ends[index % ends.length] ?? 'accepted'
  // Without drivers, an order begins as dispatch_failed and stays there.
  if (delivery?.status !== 'accepted' || account.livemode || advanceTo === 'accepted')
    return delivery?.status ?? advanceTo
  const { deliveryId } = delivery
  const moved = handlers.simulateDelivery.decide(worldOf(engine, account, nowMs), { deliveryId, body: { advanceTo } })
  commitDecision(engine, moved, nowMs)
  return advanceTo
}

const names = ['Avery Cole', 'Jordan Diaz', 'Sam Okafor', 'Riley Chen', 'Casey Novak', 'Devon Ali'] as const

function mockOrder(clientOrderReference: string, index: number): DeliveryCreate {
  const store = ordinaryStores[index % ordinaryStores.length]
  if (store === undefined) throw new Error('The sandbox has no store to order from.')
  return {
    clientOrderReference,
    pickup: { storeReference: store.storeReference },
    dropoff: {
      address: {
        line1: `${100 + (index % 900)} Sample Street`,
        city: store.city,
        state: store.state,
        postalCode: store.postalCode,
      },
      contactName: names[index % names.length] ?? names[0],
      contactPhone: '+12025550100',
    },
    package: { description: 'Mock order', itemsCount: 1 + (index % 5), weightGrams: 1_500 },
  }
}
