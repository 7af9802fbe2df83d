import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/index.js'
import type { Listener, PullOptions } from '../../listener/index.js'
import type { NamedSecret } from '../../profiles/index.js'
import { parseTime } from '../input/durations.js'

/** Where events are fetched from and into what. */
export interface FetchSurroundings {
  client: Client
  listener: Listener
  /** The first of them signs what is fetched. */
  secrets: readonly NamedSecret[]
  /** Each account has a place of its own up to which its events were fetched. */
  account: string
  onError(error: unknown): void
  signal: AbortSignal
  nowMs(): number
}

/**
 * Fetches events from the service and hands them to the listener as though they had been posted: with `--pull` until the
 * signal, in the background; with `--since` alone what was missed, once.
 */
export async function fetchMissed(
  flags: { pull: boolean; since?: string | undefined },
  around: FetchSurroundings,
): Promise<void> {
  const { client, listener, account, onError, signal, nowMs } = around
  const sinceMs = flags.since === undefined ? undefined : Date.parse(parseTime(flags.since, '--since', nowMs()))
  const { pullEvents } = await import('../../listener/index.js')
  const finished = new AbortController()
  const [secret = { name: '', secret: '' }] = around.secrets
  /** Where an earlier `--pull` has stopped counts as well, so that nothing in between is left out. */
  const startOf = (name: string) => {
    const askedMs = sinceMs ?? nowMs()
    return flags.pull ? Math.min(askedMs, Number(listener.cursor(name) ?? askedMs)) : askedMs
  }
  const options: PullOptions = {
    listEvents: (query) => client.call('listEvents', { query }),
    listener: sinceMs === undefined ? listener : { ...listener, cursor: (name) => String(startOf(name)) },
    secret,
    cursorName: `pull-${account}`,
    onError,
    signal: AbortSignal.any([signal, finished.signal]),
    ...(sinceMs === undefined ? {} : { sinceMs }),
  }
  if (flags.pull) {
    void pullEvents(options)
    return
  }
  const sleep = async (spanMs: number) => {
    finished.abort()
    await pause(Math.min(spanMs, 1))
  }
  await pullEvents({ ...options, sleep })
}
