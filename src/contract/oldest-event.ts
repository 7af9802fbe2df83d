import { dayMs, minuteMs } from '../shared/durations.js'
import { limits } from './limits.js'

/** The oldest `since` to ask for events by: the limit of the service, less a minute for the way to it. */
export function oldestSinceMs(serviceNowMs: number): number {
  return serviceNowMs - limits.eventRetentionDays * dayMs + minuteMs
}
