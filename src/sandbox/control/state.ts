import { z } from 'zod'
import { limits } from '../../contract/index.js'
import { dayMs, hourMs, timeSpanMs } from '../../shared/durations.js'
import { accounts } from '../core/accounts.js'
import { ordinaryStores, usualStores } from '../core/geo/stores.js'
import { Refusal } from '../core/refusal.js'
import { accountsOf } from '../engine/accounts.js'
import { capacityOf, isOut, secretsOf, switchesOf } from '../engine/engine.js'
import { faultRulesOf } from '../engine/fault-rules.js'
import { nameState, resetStore, seedStore } from '../engine/seeding.js'
import { mixes } from '../history/plan.js'
import { writeHistory } from '../history/write-history.js'
import { isChallenge } from '../proof/index.js'
import { defaultSwitches, switchSummaries } from '../switches.js'
import { accountAsNamed } from './accounts.js'
import { clockView } from './clock.js'
import { ControlAnswer, type ControlContext, type ControlRoutes } from './control-route.js'
import { seedDeliveries } from './mock-deliveries.js'
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
