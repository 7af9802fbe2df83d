import { z } from 'zod'
import { TimestampInput } from '../../contract/index.js'
import { dayMs, timeSpanMs } from '../../shared/durations.js'
import { parseNumbers } from '../../shared/json-number.js'
import { timestamp } from '../core/trip-times.js'
import type { Engine } from '../engine/engine.js'
import { LATEST_MS, MAX_TIME_SCALE } from '../engine/virtual-clock.js'
import { accountChoice, accountLimit } from './accounts.js'
import type { ControlContext, ControlRoutes } from './control-route.js'
import { attemptView } from './receivers.js'

/** Maximum advance; a larger one would only make everything due at once. */
const MAX_ADVANCE_MS = 20 * 366 * dayMs

const ClockChange = z
  .strictObject({
    advance: z
      .string()
      .refine((text) => (timeSpanMs(text) ?? Number.POSITIVE_INFINITY) <= MAX_ADVANCE_MS, {
        error: 'must be a duration such as 25h or 1h30m, of twenty years at most',
      })
      .optional(),
    set: TimestampInput.refine((time) => Date.parse(time) <= LATEST_MS, {
      error: 'must be before the year 9000',
    }).optional(),
    scale: z.number().min(0).max(MAX_TIME_SCALE).optional(),
  })
  .refine((change) => change.advance === undefined || change.set === undefined, {
    error: 'must have "advance" or "set", not both',
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'must have "advance", "set" or "scale"',
  })

/** Virtual time: read, moved, made faster. */
export function clockRoutes({ engine, worker }: ControlContext): ControlRoutes {
  return {
    'GET /clock': () => clockView(engine),
    async 'POST /clock'(call) {
      const { advance, set, scale } = await call.body(ClockChange)
      const { clock } = engine
      if (scale !== undefined) clock.set(clock.nowMs(), scale)
      const nowMs = clock.nowMs()
      const targetMs = set === undefined ? nowMs + (timeSpanMs(advance ?? '0s') ?? 0) : Date.parse(set)
      if (targetMs < nowMs) clock.set(targetMs)
      else if (targetMs > nowMs) await worker.advanceTo(targetMs)
      return clockView(engine)
    },
  }
}

export function clockView({ clock }: Engine): { now: string; scale: number; real: string } {
  return { now: timestamp(clock.nowMs()), scale: clock.scale, real: new Date().toISOString() }
}

const place = z.coerce.number().int().min(0).optional()
const Places = z.strictObject({
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
      const { account, events, attempts, requests, limit } = call.queryAs(Places.extend(accountChoice(store)))
      const newEvents = store.events.recorded(account.accountId, events, limit)
      const only = accountLimit(store, call)
      const newAttempts = store.attempts.recorded(attempts, limit, only)
      const newRequests = log.since(requests, only)
      return {
        clock: clockView(engine),
        places: {
          events: newEvents.at(-1)?.seq ?? store.events.lastSeq(),
          attempts: newAttempts.at(-1)?.attemptId ?? store.attempts.lastId(),
          requests: log.count,
        },
        events: newEvents.map(({ seq, body, outcome, attempts }) => ({
          seq,
          event: parseNumbers(body, 'answer'),
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
        moments: log.since(requests).map(({ at, serviceAt }) => ({ now: serviceAt, real: at })),
      }
    },
  }
}
