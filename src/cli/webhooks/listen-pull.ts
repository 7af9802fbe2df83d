import { DlvError, UsageError } from '../../contract/index.js'
import type { JournalReader, Listener, ListenerSecret } from '../../listener/index.js'
import type { NamedSecret } from '../../profiles/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { sleep } from '../../shared/sleep.js'
import type { EventService } from '../events/event-service.js'
import { parseTime } from '../input/times.js'
import type { Outage } from '../output/outage.js'

/** The source and the destination of fetched events. */
interface PullSurroundings {
  service: EventService
  listener: Listener
  /** The first of them signs fetched events. */
  secrets(): readonly NamedSecret[]
  /** The account whose position is stored, as its journal knows it. */
  account: string
  /** Told of an outage of the service, which is waited out. */
  outage: Outage
  /** Told of every other failure. */
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
  const { service, listener, account, outage, signal } = around
  const sinceMs = flags.since === undefined ? undefined : await startOf(flags.since, service)
  const { fixPullStart, pullEvents } = await import('../../listener/index.js')
  let last: ListenerSecret = { name: '', secret: '', account }
  /** The last one that there was, once all of them are removed. */
  const secret = () => {
    const [first] = around.secrets()
    if (first !== undefined) last = { ...first, account }
    return last
  }
  const cursorName = `pull-${account}`
  const note = pullNote(around)
  const onError = (error: unknown) => {
    note.failed(error)
    if (!outage.isOf(error)) around.onError(error)
  }
  const pull = (until: AbortSignal) =>
    pullEvents({
      listEvents: service.listEvents,
      serviceNow: service.nowMs,
      listener,
      secret,
      cursorName,
      once: !flags.pull,
      sinceMs,
      onPage: note.read,
      onListed: note.listed,
      onError,
      onWarning: around.onError,
      signal: until,
      now: around.nowMs,
    })
  if (!flags.pull) return () => pull(signal)
  try {
    await fixPullStart({ listener, cursorName, account, serviceNow: () => service.nowMs(briefly) })
  } catch (error) {
    // The listener also receives: it does not wait for a service that is away. The first listing will tell of it.
    if (!(error instanceof DlvError)) throw error
  }
  return async () => void pullAsLeader({ listener, account, signal }, cursorName, pull)
}

/** The name under which a journal keeps how the last fetch for an account went. */
const lastPull = (account: string) => `last-pull-${account}`

/** The result of the last fetch; times in RFC 3339. */
interface LastPull {
  /** When events were last fetched; `null` if they never were. */
  at: string | null
  /** Why it has failed since; `null` while it works. */
  error: string | null
}

/** Minimum interval between records of consecutive successes. */
const notedEveryMs = 10_000

/** Writes down how the listings of a listener end, for `webhooks status`. */
function pullNote({
  listener,
  account,
  nowMs,
  outage,
}: Pick<PullSurroundings, 'listener' | 'account' | 'nowMs' | 'outage'>) {
  let noted: LastPull = { at: null, error: null }
  const write = (note: LastPull) => {
    const sinceMs = Date.parse(note.at ?? '') - Date.parse(noted.at ?? '')
    if (note.error === noted.error && (note.at === noted.at || sinceMs < notedEveryMs)) return
    noted = note
    // Whoever cannot write it is told so by the next event.
    listener.setCursor(lastPull(account), JSON.stringify(note), false, account).catch(() => {})
  }
  const nowText = () => new Date(nowMs()).toISOString()
  return {
    /** A page was read; the rest of the listing can still fail. */
    read: () => write({ at: nowText(), error: noted.error }),
    listed() {
      write({ at: nowText(), error: null })
      outage.ended()
    },
    failed(error: unknown) {
      if (error instanceof Error) write({ at: noted.at, error: error.message })
      outage.beganIf(error)
    },
  }
}

/** For a question that the ready line waits for. */
const briefly = { timeoutMs: 5_000, retries: { maxRetries: 0 } }

/** Delay before the next fetch after the journal could not store an event. */
const againAfterMs = 1_000

/** Fetches while this process is the one that does, of all that share the journal, and until the journal has failed. */
async function pullAsLeader(
  { listener, account, signal }: Pick<PullSurroundings, 'listener' | 'account' | 'signal'>,
  name: string,
  pull: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted && listener.failure() === undefined) {
    const lost = await listener.lead(name, signal, account)
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

/** The result of the last fetch for an account; `null` if there was none. */
export async function lastPullOf(journal: Pick<JournalReader, 'cursor'>, account: string): Promise<LastPull | null> {
  const text = await journal.cursor(lastPull(account))
  const note = text === undefined ? undefined : tryParseJson(text)?.value
  if (!isRecord(note)) return null
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
  return { at: textOf(note.at), error: textOf(note.error) }
}
