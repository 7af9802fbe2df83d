import type { Clock } from '../../wire/session.js'
import type { Backend, Control } from '../backend.js'
import type { DeliveryIndex } from './delivery-index.js'
import type { Feed } from './feed.js'
import { attemptItem, eventItem, type NewItem, requestItem, type SandboxAttempt, type SandboxRequest } from './items.js'
import { type Source, whileWatched } from './polling.js'

/** The changes that a sandbox reports. */
interface Changes {
  clock: Clock
  places: { events: number; attempts: number; requests: number }
  events: { event: unknown }[]
  attempts: SandboxAttempt[]
  requests: SandboxRequest[]
}

/** Interval of polling a sandbox while a page is open: other processes write its file, too. */
const intervalMs = 120
/** Events and attempts that a page which opens shows of before. */
const backlog = 500

/** Follows a sandbox on this machine. Without a page that is open it rests. */
export function sandboxSource(
  backend: Backend & { control: Control },
  feed: Feed,
  deliveries: DeliveryIndex,
  onError: (error: unknown) => void,
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
      feed.merge(sourcesOf(changes, backend.ownAgent, deliveries), {
        aheadMs: Date.parse(changes.clock.now) - Date.parse(changes.clock.real),
        scale: changes.clock.scale,
      })
      places = changes.places
      if (hasJumped(clock, changes.clock)) feed.tellClock(changes.clock)
      clock = changes.clock
      if (isBehind || changes.events.length < 1_000) return
    }
  }

  return whileWatched(feed, intervalMs, read, onError, backend.nowMs)
}

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
