import { z } from 'zod'
import { accounts } from '../core/accounts.js'
import { capacityOf, isOut, secretsOf, switchesOf } from '../engine/engine.js'
import { faultRulesOf } from '../engine/fault-rules.js'
import { resetStore } from '../engine/seeding.js'
import { defaultSwitches, switchSummaries } from '../switches.js'
import { clockView } from './clock.js'
import { ControlAnswer, type ControlContext, type ControlRoute } from './control-route.js'
import { seedDeliveries } from './mock-deliveries.js'
import { endpointView } from './receivers.js'

const Reset = z.strictObject({
  /** Receivers stay registered. */
  keepEndpoints: z.boolean().optional(),
})
const Seed = z.strictObject({
  count: z.int().min(1).max(1_000_000),
  accountId: z.enum(accounts.map((account) => account.accountId)).optional(),
})

/** The state as a whole: whether it is there, how it stands, empty again, filled with mock deliveries. */
export function stateRoutes({ engine, worker, log }: ControlContext): ControlRoute[] {
  const { store } = engine
  const isReady = () => store.settings.get<boolean>('seeded') === true
  return [
    {
      method: 'GET',
      path: '/ready',
      handle: () => new ControlAnswer(isReady() ? 200 : 503, { ready: isReady() }),
    },
    {
      method: 'POST',
      path: '/reset',
      async handle(call) {
        const { keepEndpoints = false } = await call.body(Reset)
        resetStore(engine, keepEndpoints)
        log.clear()
        return { reset: true }
      },
    },
    {
      method: 'GET',
      path: '/status',
      handle: () => ({
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
        accounts: accounts.map(({ accountId, apiKey, accountType, livemode }) => ({
          accountId,
          apiKey,
          accountType,
          livemode,
        })),
      }),
    },
    {
      method: 'POST',
      path: '/seed',
      async handle(call) {
        const { count, accountId } = await call.body(Seed)
        const account = accounts.find((candidate) => candidate.accountId === accountId) ?? accounts[0]
        const deliveries = await seedDeliveries(engine, account, count)
        await worker.settled()
        return new ControlAnswer(201, deliveries)
      },
    },
  ]
}
