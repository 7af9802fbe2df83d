import { isRateLimited } from '../../../client/internal.js'
import { ApiError, ConnectionError } from '../../../contract/index.js'
import { oldestSinceMs } from '../../../contract/internal.js'
import { isRecord } from '../../../shared/json.js'
import { sentence } from '../../../shared/texts.js'
import { serviceTime } from '../../../webhooks/internal.js'
import type { Clock } from '../../wire/session.js'
import type { Backend, Control } from '../backend.js'
import { serviceNowMs } from '../clock.js'
import type { DeliveryIndex } from './delivery-index.js'
import type { AccountFeed } from './feed.js'
import { attemptItem, eventItem, type NewItem, requestItem, type SandboxAttempt, type SandboxRequest } from './items.js'
import { type Moment, ServiceTimes } from './service-times.js'

/** A place that news comes from. */
export interface Source {
  /** Asks now, for example after an action. */
  look(): Promise<void>
  stop(): void
}

/** What others with the same key leave none of the allowance for is not read for so long before the page says so. */
const othersTurnMs = 30_000

const isOthersTurn = (error: unknown) =>
  isRateLimited(error) || (error instanceof ConnectionError && error.reason === 'held')

/** Reads again and again while a page is open, and rests otherwise. */
function whileWatched(
  feed: AccountFeed,
  intervalMs: number,
  read: (isStopped: () => boolean) => Promise<void>,
  onError: (error: unknown) => void,
  { nowMs, keyRemedy }: Pick<Backend, 'nowMs' | 'keyRemedy'>,
): Source {
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> | undefined
  let isStopped = false
  let readAtMs = performance.now()

  function look(): Promise<void> {
    reading ??= read(() => isStopped)
      .then(
        () => {
          readAtMs = performance.now()
          feed.noteReading()
        },
        (error: unknown) => {
          if (isStopped) return
          // Other programs with the same key had the turn: it is read again in a moment.
          if (isOthersTurn(error) && performance.now() - readAtMs < othersTurnMs) return
          const remedy = error instanceof ApiError && error.status === 401 && keyRemedy ? ` ${keyRemedy}.` : ''
          const message = sentence(error instanceof Error ? error.message : String(error)) + remedy
          const isNews = feed.noteReading({ since: new Date(nowMs()).toISOString(), message })
          if (isNews) onError(error)
        },
      )
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  function schedule(): void {
    clearTimeout(timer)
    if (isStopped || !feed.isWatched) return
    timer = setTimeout(() => void look().then(schedule), intervalMs)
  }

  feed.onAudience((isWatched) => {
    if (isWatched) void look().then(schedule)
    else clearTimeout(timer)
  })
  return {
    async look() {
      // What is being read now may have begun before the action.
      await reading
      await look()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** The changes that a sandbox reports. */
interface Changes {
  clock: Clock
  places: { events: number; attempts: number; requests: number }
  events: { event: unknown }[]
  attempts: SandboxAttempt[]
  requests: SandboxRequest[]
  /** The clock at the requests of all accounts. */
  moments: { now: string; real: string }[]
}

/** Interval of polling a sandbox while a page is open: other processes write its file, too. Several accounts share it. */
const sandboxIntervalMs = 120
const longestIntervalMs = 1_000
/** Events and attempts that a page which opens shows of before. */
const backlog = 500

/** Follows a sandbox on this machine. Without a page that is open it rests. */
export function sandboxSource(
  backend: Backend & { control: Control },
  feed: AccountFeed,
  deliveries: DeliveryIndex,
  onError: (error: unknown) => void,
  { accounts = 1, isFirst = true, times = new ServiceTimes() } = {},
): Source {
  let places: Changes['places'] | undefined
  let clock: Clock | undefined

  async function read(): Promise<void> {
    for (;;) {
      const query = new URLSearchParams({
        ...(backend.account === undefined ? {} : { account: backend.account }),
        limit: String(places === undefined ? backlog : 1_000),
        ...(places === undefined
          ? {}
          : {
              events: String(places.events),
              attempts: String(places.attempts),
              requests: String(places.requests),
            }),
      })
      const changes = (await backend.control('GET', `/changes?${query}`)) as Changes
      // A reset or a restored snapshot starts the numbers again.
      const isBehind =
        places !== undefined && (changes.places.events < places.events || changes.places.attempts < places.attempts)
      // Requests with nobody's key are in the changes of every account.
      if (!isFirst) changes.requests = changes.requests.filter(({ account }) => account !== undefined)
      const known = changes.moments.map(({ real, now }) => momentOf(real, now))
      times.note(momentOf(changes.clock.real, changes.clock.now), known, changes.clock.scale)
      feed.merge(sourcesOf(changes, backend.ownAgent, deliveries), times)
      places = changes.places
      if (hasJumped(clock, changes.clock)) feed.tellClock(changes.clock)
      clock = changes.clock
      if (isBehind || changes.events.length < 1_000) return
    }
  }

  return whileWatched(feed, Math.min(longestIntervalMs, sandboxIntervalMs * accounts), read, onError, backend)
}

const momentOf = (real: string, service: string): Moment => ({
  realMs: Date.parse(real),
  serviceMs: Date.parse(service),
})

/** The lines of requests, events and attempts, each in the order of their arrival. */
function sourcesOf(
  { events, attempts, requests }: Changes,
  ownAgent: string,
  deliveries: DeliveryIndex,
): (readonly NewItem[])[] {
  return [
    requests.map((request) => requestItem(request, ownAgent, deliveries)),
    events.map(({ event }) => eventItem(event, deliveries)),
    attempts.map((attempt) => attemptItem(attempt, deliveries)),
  ].map((items) => items.filter((item) => item !== undefined))
}

/** Whether a clock was moved or made faster since it was last read. */
function hasJumped(before: Clock | undefined, now: Clock): boolean {
  if (before === undefined || before.scale !== now.scale) return true
  const passed = (Date.parse(now.real) - Date.parse(before.real)) * before.scale
  return Math.abs(Date.parse(now.now) - Date.parse(before.now) - passed) > 2_000
}

/** The service's own time, asked for now and then. */
const serviceTimeOf = (backend: Backend) =>
  serviceTime(
    () => serviceNowMs(backend),
    () => performance.now(),
  )

/** Interval of polling an account's events while a page is open. */
const serviceIntervalMs = 4_000
/** Events are listed by when they occurred, so one that occurred a little earlier may appear a little later. */
const overlapMs = 60_000
const startMs = 3_600_000
const pageSize = 100

/** An answer tells the service's time in whole seconds, after a while: events of several accounts stay in their own order within that. */
const clockErrorMs = 3_000

/**
 * Follows an account's list of events if the account is not a sandbox on this machine; pauses while no page is open.
 */
export function serviceSource(
  backend: Backend,
  feed: AccountFeed,
  deliveries: DeliveryIndex,
  onError: (error: unknown) => void,
): Source {
  const { client, nowMs } = backend
  const seen = new Map<string, number>()
  let sinceMs: number | undefined
  const times = new ServiceTimes()

  let currentMs = serviceTimeOf(backend)

  async function read(isStopped: () => boolean): Promise<void> {
    try {
      await readOn(isStopped)
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 400)) throw error
      // A sandbox's clock was moved since it was asked for.
      currentMs = serviceTimeOf(backend)
      await readOn(isStopped)
    }
  }

  async function readOn(isStopped: () => boolean): Promise<void> {
    const atMs = await currentMs()
    // What was asked for may be in the future of a clock that was set back, or longer ago than the service keeps.
    if (sinceMs === undefined || sinceMs > atMs + overlapMs) sinceMs = atMs - startMs
    sinceMs = Math.max(sinceMs, oldestSinceMs(atMs))
    const since = new Date(sinceMs).toISOString()
    for await (const page of client.pages('listEvents', { since, limit: pageSize })) {
      const fresh = page.events.filter(({ eventId }) => !seen.has(eventId))
      for (const { eventId, occurredAt } of fresh) seen.set(eventId, Date.parse(occurredAt))
      const items = fresh.map((listed) => eventItem(isRecord(listed.data) ? listed.data : listed, deliveries))
      const realMs = Date.now()
      const serviceMs = client.serviceNowMs() ?? nowMs()
      times.note({ realMs, serviceMs: Math.abs(serviceMs - realMs) < clockErrorMs ? realMs : serviceMs })
      feed.push(
        items.filter((item) => item !== undefined),
        times,
      )
      if (isStopped()) return
    }
    const newest = Math.max(sinceMs, ...[...seen.values()].filter((seenMs) => seenMs <= atMs + overlapMs))
    sinceMs = Math.max(sinceMs, newest - overlapMs)
    for (const [eventId, seenMs] of seen) if (seenMs < sinceMs - overlapMs) seen.delete(eventId)
  }

  return whileWatched(feed, serviceIntervalMs, read, onError, backend)
}
