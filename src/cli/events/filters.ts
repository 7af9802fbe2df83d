import { Flags, type Interfaces } from '@oclif/core'
import { limits } from '../../contract/index.js'
import { dayMs } from '../../shared/durations.js'
import { repeatable } from '../command/repeatable.js'
import { parseTime } from '../input/durations.js'
import type { Notices } from '../output/notices.js'

/** Flags that choose past events. */
export const eventFilterFlags = {
  since: Flags.string({
    summary: 'At or after: 2h, 3d, yesterday, RFC 3339 (default 24h, at most 30d)',
    helpValue: 'TIME',
  }),
  until: Flags.string({ summary: 'Before (default now)', helpValue: 'TIME' }),
  delivery: Flags.string({ summary: 'Of this delivery alone', helpValue: 'ID' }),
  type: Flags.string({
    summary: 'Of this type, such as delivery.failed or failed; repeatable',
    helpValue: 'TYPE',
    ...repeatable,
  }),
}

type EventFilters = Partial<Interfaces.InferredFlags<typeof eventFilterFlags>> & { undelivered?: boolean }

/** The service counts the 30 days by its own clock: a minute of room keeps a clamped `since` inside them. */
const roomMs = 60_000

/** The query of the flags. Further back than events are kept is cut to what is kept, with a warning. */
export function eventQuery(flags: EventFilters, notices: Notices, nowMs: number) {
  const oldestMs = nowMs - limits.eventRetentionDays * dayMs + roomMs
  const asked = flags.since === undefined ? undefined : parseTime(flags.since, '--since', nowMs)
  const isTooOld = asked !== undefined && Date.parse(asked) < oldestMs
  if (isTooOld) notices.warn(`Events are kept for ${limits.eventRetentionDays} days: showing those.`)
  const since = isTooOld ? new Date(oldestMs).toISOString() : asked
  return {
    ...(since === undefined ? {} : { since }),
    ...(flags.until === undefined ? {} : { until: parseTime(flags.until, '--until', nowMs) }),
    ...(flags.delivery === undefined ? {} : { deliveryId: flags.delivery }),
    ...(flags.undelivered ? { delivered: false } : {}),
    ...(flags.type === undefined
      ? {}
      : { eventType: flags.type.map((type) => (type.includes('.') ? type : `delivery.${type}`)) }),
  }
}
