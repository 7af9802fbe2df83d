import { UsageError } from '../../contract/index.js'
import type { Listener } from '../../listener/index.js'
import type { NamedSecret } from '../../profiles/index.js'
import type { EventService } from '../events/event-service.js'
import { parseTime } from '../input/durations.js'

/** The source and the destination of fetched events. */
export interface PullSurroundings {
  service: EventService
  listener: Listener
  /** The first of them signs fetched events. */
  secrets: readonly NamedSecret[]
  /** Each account has a position of its own. */
  account: string
  onError(error: unknown): void
  signal: AbortSignal
  /** This machine's time in milliseconds since the epoch, for signing. */
  nowMs(): number
}

/**
 * Fetches events from the service and hands them to the listener like received ones: with `--pull` in the background
 * until the signal, with only `--since` what was missed, once.
 */
export async function fetchMissed(
  flags: { pull: boolean; since?: string | undefined },
  around: PullSurroundings,
): Promise<void> {
  const { service, listener, account, onError, signal } = around
  const sinceMs = flags.since === undefined ? undefined : await startOf(flags.since, service)
  const { pullEvents } = await import('../../listener/index.js')
  const [secret = { name: '', secret: '' }] = around.secrets
  const pulled = pullEvents({
    listEvents: service.listEvents,
    serviceNow: service.nowMs,
    listener,
    secret,
    cursorName: `pull-${account}`,
    once: !flags.pull,
    sinceMs,
    onError,
    signal,
    now: around.nowMs,
  })
  if (!flags.pull) await pulled
}

async function startOf(since: string, service: EventService): Promise<number> {
  const nowMs = await service.nowMs()
  const sinceMs = Date.parse(parseTime(since, '--since', nowMs))
  if (sinceMs <= nowMs) return sinceMs
  throw new UsageError(`--since ${since} is in the future: the service's clock says ${new Date(nowMs).toISOString()}.`)
}
