import { DlvError, UsageError } from '../../contract/index.js'
import type { Listener } from '../../listener/index.js'
import type { NamedSecret } from '../../profiles/index.js'
import { sleep } from '../../shared/sleep.js'
import type { EventService } from '../events/event-service.js'
import { parseTime } from '../input/durations.js'

/** The source and the destination of fetched events. */
export interface PullSurroundings {
  service: EventService
  listener: Listener
  /** The first of them signs fetched events. */
  secrets(): readonly NamedSecret[]
  /** Each account has a position of its own. */
  account: string
  onError(error: unknown): void
  signal: AbortSignal
  /** This machine's time in milliseconds since the epoch, for signing. */
  nowMs(): number
}

/**
 * Prepares to fetch events from the service and to hand them to the listener like received ones. Resolves once nothing
 * that happens from now on can be missed; the returned function fetches: with `--pull` in the background until the
 * signal, with only `--since` what was missed, once.
 */
export async function preparePull(
  flags: { pull: boolean; since?: string | undefined },
  around: PullSurroundings,
): Promise<() => Promise<void>> {
  const { service, listener, account, onError, signal } = around
  const sinceMs = flags.since === undefined ? undefined : await startOf(flags.since, service)
  const { fixPullStart, pullEvents } = await import('../../listener/index.js')
  let last = { name: '', secret: '' }
  /** The last one that there was, once all of them are removed. */
  const secret = () => {
    last = around.secrets()[0] ?? last
    return last
  }
  const cursorName = `pull-${account}`
  const pull = (until: AbortSignal) =>
    pullEvents({
      listEvents: service.listEvents,
      serviceNow: service.nowMs,
      listener,
      secret,
      cursorName,
      once: !flags.pull,
      sinceMs,
      onError,
      signal: until,
      now: around.nowMs,
    })
  if (!flags.pull) return () => pull(signal)
  try {
    await fixPullStart({ listener, cursorName, serviceNow: () => service.nowMs(briefly) })
  } catch (error) {
    // The listener also receives: it does not wait for a service that is away. The first listing will tell of it.
    if (!(error instanceof DlvError)) throw error
  }
  return async () => void pullAsLeader(listener, cursorName, pull, signal)
}

/** For a question that the ready line waits for. */
const briefly = { timeoutMs: 5_000, retries: { maxRetries: 0 } }

/** How long to wait before events are fetched again, after the journal could not take one. */
const againAfterMs = 1_000

/** Fetches while this process is the one that does, of all that share the journal, and until the journal has failed. */
async function pullAsLeader(
  listener: Listener,
  name: string,
  pull: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && listener.failure() === undefined) {
    const lost = await listener.lead(name, signal)
    await pull(AbortSignal.any([signal, lost]))
    await sleep(againAfterMs, signal)
  }
}

async function startOf(since: string, service: EventService): Promise<number> {
  const nowMs = await service.nowMs()
  const sinceMs = Date.parse(parseTime(since, '--since', nowMs))
  if (sinceMs <= nowMs) return sinceMs
  throw new UsageError(`--since ${since} is in the future: the service's clock says ${new Date(nowMs).toISOString()}.`)
}
