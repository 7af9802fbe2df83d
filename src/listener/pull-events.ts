import { hash } from 'node:crypto'
import { ContractError } from '../contract/index.js'
import { minuteMs } from '../shared/durations.js'
import { type ListedEvent, type ListedEvents, type NamedSecret, signatureHeaders, verify } from '../webhooks/index.js'
import { type FollowOptions, followEvents, namedKey, readPosition, writePosition } from '../webhooks/internal.js'
import type { ListenerSecret } from './journal/event.js'
import type { Listener } from './options.js'

/** Which events to list, how to sign them, and the listener that receives them. */
export interface PullOptions extends Omit<FollowOptions, 'position' | 'onListed' | 'onError' | 'onWarning'> {
  /** Takes the events, and keeps the position. */
  listener: Pick<Listener, 'ingest' | 'has' | 'cursor' | 'setCursor'>
  /** The secret to sign with: the first of the listener's secrets, or of the account's if it serves several. */
  secret(): ListenerSecret
  /** One listing from `sinceMs`, which leaves no position for a later run. */
  once?: boolean
  /** The name of the position, one for each account. Default `pull`. */
  cursorName?: string
  /** Told of each page that was read. */
  onPage?(): void
  /** Told of each complete listing. */
  onListed?(): void
  /** Told of listings that failed. */
  onError?(error: unknown): void
  /** Told of what was repaired, and once of each event that was skipped. Default: `onError`. */
  onWarning?(problem: Error): void
  /** Wall-clock time in milliseconds since the epoch, to sign with. Default: the system's. */
  now?(): number
}

interface PullStart extends Pick<PullOptions, 'listener' | 'serviceNow' | 'cursorName'> {
  /** The account that the position belongs to; that of the listener's first secret if it is left out. */
  account?: string | undefined
}

/**
 * Fixes where `pullEvents` starts unless an earlier run left a position: what the service shows from now on will be
 * fetched, even if this process is killed before the first listing. Resolves once that is on disk.
 */
export async function fixPullStart({ listener, serviceNow, cursorName = 'pull', account }: PullStart): Promise<void> {
  if ((await listener.cursor(cursorName, account)) !== undefined) return
  const nowMs = await serviceNow()
  await listener.setCursor(cursorName, writePosition({ fromMs: nowMs, toMs: nowMs }), true, account)
}

/** A position that moved by less than this, and past no new event, is not worth a write. */
const savedEveryMs = minuteMs

/**
 * Fetches events from the service's list, signs each locally, and hands it to the listener as if it had been posted; the
 * journal labels it as pulled. Continues where an earlier run stopped. Ends when the signal aborts, or when the journal
 * cannot be written. An event that cannot be used is reported once and skipped.
 */
export async function pullEvents(options: PullOptions): Promise<void> {
  const { listener, once = false, cursorName = 'pull', onError = () => {} } = options
  const { onWarning = onError } = options
  const intake = pulledIntake(options, onWarning)
  let savedMs = Number.NEGATIVE_INFINITY
  let savedCount = 0
  const pages = followEvents({
    ...options,
    onError,
    onWarning,
    position: once ? undefined : readPosition(await listener.cursor(cursorName, options.secret().account)),
    async onListed(position) {
      options.onListed?.()
      const isNews = intake.count() > savedCount || position.toMs - savedMs >= savedEveryMs
      if (once || !isNews) return
      savedMs = position.toMs
      savedCount = intake.count()
      await listener.setCursor(cursorName, writePosition(position), false, options.secret().account)
    },
  })
  try {
    for await (const page of pages) {
      options.onPage?.()
      await intake.take(page)
    }
  } catch (error) {
    onError(error)
  }
}

/** Hands events to the listener, each once. */
function pulledIntake(options: PullOptions, onWarning: (problem: Error) => void) {
  const { listener, signal, now = Date.now } = options
  const skipped = new Set<string>()
  let count = 0

  const skip = (key: string, what: string) => {
    if (skipped.has(key)) return
    skipped.add(key)
    onWarning(new ContractError(`${what} and was skipped`, { operation: 'listEvents', issues: [what] }))
  }
  const takeOne = async ({ eventId, body, problem }: ListedEvent) => {
    if (skipped.has(eventId)) return
    const what = `Event ${eventId} of the service's list`
    if (body === undefined) return skip(eventId, `${what} ${problem ?? 'has no body'}`)
    const secret = options.secret()
    const { rawHeaders, verdict } = signedAt(now(), eventId, body, secret)
    if (!verdict.ok) return skip(eventId, `${what} is invalid (${verdict.message})`)
    await listener.ingest({ acceptance: verdict, rawHeaders, body, secret })
    count++
  }
  return {
    /** Number of events that were passed on. */
    count: () => count,
    async take({ events, nameless }: ListedEvents) {
      for (const record of nameless) skip(hash('sha256', record), "An event of the service's list has no eventId")
      const known = await listener.has(
        events.map(({ eventId }) => eventId),
        options.secret().account,
      )
      for (const event of events) {
        if (signal.aborted) return
        if (!known.has(event.eventId)) await takeOne(event)
      }
    },
  }
}

function signedAt(nowMs: number, id: string, body: Uint8Array, named: NamedSecret) {
  const secret = namedKey(named)
  const timestampSeconds = Math.floor(nowMs / 1000)
  const signed = signatureHeaders({ secrets: [secret], id, timestampSeconds, body })
  const rawHeaders = ['content-type', 'application/json', ...Object.entries(signed).flat()]
  const verdict = verify({
    secrets: [secret],
    headers: rawHeaders,
    body,
    nowSeconds: timestampSeconds,
    maxBodyBytes: Number.POSITIVE_INFINITY,
  })
  return { rawHeaders, verdict }
}
