import { Flags, type Interfaces } from '@oclif/core'
import { limits } from '../../contract/index.js'
import { oldestSinceMs } from '../../contract/internal.js'
import { matchesStars } from '../../shared/word-match.js'
import { repeatable } from '../command/write-flags.js'
import { parseEventTypePattern } from '../input/contract-words.js'
import { parseTime } from '../input/times.js'
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

/** Past events that the flags choose. */
export interface ChosenEvents {
  query: EventQuery
  /** The start that was asked for, if the service does not list events from so far back. */
  tooOld?: string
  /**
   * Types with a star. The service filters by exact types, and may have some that this version does not know: these are
   * found among the events of every type.
   */
  patterns?: readonly string[]
}

/** The events whose type the patterns choose; all of them without patterns. */
export async function* ofTypes<Event extends { eventType?: string | null | undefined }>(
  events: AsyncIterable<Event>,
  patterns: readonly string[] | undefined,
): AsyncGenerator<Event> {
  if (patterns === undefined) return yield* events
  for await (const event of events)
    if (patterns.some((pattern) => matchesStars(pattern, event.eventType ?? ''))) yield event
}

/** The services that the flags need to be understood. */
interface QuerySurroundings {
  notices: Pick<Notices, 'warn' | 'notice'>
  /** The service's time in milliseconds since the epoch; asked for only if a flag needs it. */
  serviceNow(): Promise<number>
  /** Whether the archive has events from before the service's list, so that nothing is missing. */
  hasOlder?(since: string, oldest: string): Promise<boolean>
  /** Finds the delivery that `--delivery` names; for commands that have that flag. */
  named?(name: string): Promise<{ deliveryId: string }>
  /** Whether events of one delivery are looked for as far back as the service lists them, unless a flag says since when. */
  looksBack?: boolean
}

/**
 * The query for the flags, and the types that they choose. Relative times follow the service's clock. A start before the
 * retention period is moved to its beginning, with a warning.
 *
 * @throws UsageError for a time or type that cannot be parsed
 */
export async function eventQuery(
  flags: EventFilters,
  { notices, serviceNow, hasOlder, named, looksBack }: QuerySurroundings,
): Promise<ChosenEvents> {
  const { since, until, delivery, type, delivered, undelivered } = flags
  const types = [...new Set(type?.map((name) => parseEventTypePattern(name, '--type', notices)))]
  const isExact = types.length > 0 && types.every((one) => !one.includes('*'))
  const isAtAnyTime = looksBack === true && since === undefined && delivery !== undefined
  const nowMs = since === undefined && until === undefined && !isAtAnyTime ? 0 : await serviceNow()
  const oldestMs = oldestSinceMs(nowMs)
  const asked = since === undefined ? undefined : parseTime(since, '--since', nowMs)
  const isTooOld = asked !== undefined && Date.parse(asked) < oldestMs
  const oldest = new Date(oldestMs).toISOString()
  const isKept = isTooOld && (await hasOlder?.(asked, oldest)) === true
  if (isTooOld && !isKept) notices.warn(`Events are kept for ${limits.eventRetentionDays} days; showing these.`)
  const query = {
    since: isTooOld || isAtAnyTime ? oldest : asked,
    until: until === undefined ? undefined : parseTime(until, '--until', nowMs),
    deliveryId: delivery === undefined ? undefined : ((await named?.(delivery))?.deliveryId ?? delivery),
    delivered: undelivered ? false : delivered || undefined,
    eventType: isExact ? types : undefined,
  }
  const chosen = isKept ? { query, tooOld: asked } : { query }
  return types.length === 0 || isExact || types.includes('*') ? chosen : { ...chosen, patterns: types }
}
