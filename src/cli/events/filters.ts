import { Flags, type Interfaces } from '@oclif/core'
import { limits } from '../../contract/index.js'
import { dayMs, minuteMs } from '../../shared/durations.js'
import { repeatable } from '../command/repeatable.js'
import { parseTime } from '../input/durations.js'
import { knownEventTypes } from '../input/event-types.js'
import type { Notices } from '../output/notices.js'
import type { EventQuery } from './event-service.js'

/** Flags that choose past events. */
export const eventFilterFlags = {
  since: Flags.string({
    summary: 'At or after: 2h, 3d, yesterday or RFC 3339 (default 24h)',
    helpValue: 'TIME',
  }),
  until: Flags.string({ summary: 'Before (default now)', helpValue: 'TIME' }),
  delivery: Flags.string({ summary: 'Only events of this delivery', helpValue: 'ID|REFERENCE' }),
  type: Flags.string({
    summary: 'Only this type: failed or driver.*; repeatable',
    helpValue: 'TYPE',
    ...repeatable,
  }),
}

/** The flags as given. */
export type EventFilters = Partial<Interfaces.InferredFlags<typeof eventFilterFlags>> & {
  delivered?: boolean
  undelivered?: boolean
}

/** What the flags mean. */
interface QuerySurroundings {
  notices: Pick<Notices, 'warn'>
  /** The service's time in milliseconds since the epoch; asked for only if a flag needs it. */
  serviceNow(): Promise<number>
  /** Finds the delivery that `--delivery` names; for commands that have that flag. */
  named?(name: string): Promise<{ deliveryId: string }>
}

/**
 * The query for the flags. Relative times follow the service's clock. A start before the retention period is moved to
 * its beginning, with a warning.
 *
 * @throws UsageError for a time or type that cannot be parsed
 */
export async function eventQuery(
  flags: EventFilters,
  { notices, serviceNow, named }: QuerySurroundings,
): Promise<EventQuery> {
  const { since, until, delivery, type, delivered, undelivered } = flags
  // Every type is no filter: a service can have types that this version does not know.
  const types = type?.includes('*') ? undefined : type?.flatMap((name) => knownEventTypes(name, '--type'))
  const nowMs = since === undefined && until === undefined ? 0 : await serviceNow()
  const oldestMs = nowMs - limits.eventRetentionDays * dayMs + minuteMs
  const asked = since === undefined ? undefined : parseTime(since, '--since', nowMs)
  const isTooOld = asked !== undefined && Date.parse(asked) < oldestMs
  if (isTooOld) notices.warn(`Events are kept for ${limits.eventRetentionDays} days; showing these.`)
  return {
    ...(asked === undefined ? {} : { since: isTooOld ? new Date(oldestMs).toISOString() : asked }),
    ...(until === undefined ? {} : { until: parseTime(until, '--until', nowMs) }),
    ...(delivery === undefined ? {} : { deliveryId: (await named?.(delivery))?.deliveryId ?? delivery }),
    ...(undelivered ? { delivered: false } : delivered ? { delivered: true } : {}),
    ...(types === undefined ? {} : { eventType: [...new Set(types)] }),
  }
}
