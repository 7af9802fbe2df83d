import { z } from 'zod'
import { accountNamed, accounts } from '../core/accounts.js'
import { clockView } from './clock.js'
import type { ControlContext, ControlRoutes } from './control-route.js'
import { attemptView } from './receivers.js'

const place = z.coerce.number().int().min(0).optional()
const Places = z.strictObject({
  account: z.string().optional(),
  /** The last event, attempt and request that the caller has seen; without them, the newest ones come. */
  events: place,
  attempts: place,
  requests: place,
  limit: z.coerce.number().int().min(1).max(5_000).default(1_000),
})

/** Changes since a position that the caller remembers, for a screen that follows the sandbox. */
export function changeRoutes({ engine, log }: ControlContext): ControlRoutes {
  const { store } = engine
  return {
    'GET /changes'(call) {
      const { account, events, attempts, requests, limit } = call.queryAs(Places)
      const { accountId } = (account === undefined ? undefined : accountNamed(account)) ?? accounts[0]
      const newEvents = store.events.recorded(accountId, events, limit)
      const newAttempts = store.attempts.recorded(attempts, limit)
      const newRequests = log.since(requests)
      return {
        clock: clockView(engine),
        places: {
          events: newEvents.at(-1)?.seq ?? store.events.lastSeq(),
          attempts: newAttempts.at(-1)?.attemptId ?? store.attempts.lastId(),
          requests: log.count,
        },
        events: newEvents.map(({ seq, body, outcome, attempts }) => ({
          seq,
          event: JSON.parse(body) as unknown,
          lastDeliveryStatus: outcome,
          deliveryAttempts: attempts,
        })),
        attempts: newAttempts.map(({ attemptId, ...attempt }) => ({
          attemptId,
          ...attemptView(attempt),
          eventType: attempt.eventType,
          deliveryId: attempt.deliveryId,
          url: store.endpoints.get(attempt.endpointId)?.url ?? null,
        })),
        requests: newRequests,
      }
    },
  }
}
