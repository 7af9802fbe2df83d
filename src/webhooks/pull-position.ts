import { ContractError } from '../contract/index.js'
import { oldestSinceMs } from '../contract/internal.js'
import { dayMs, hourMs, minuteMs } from '../shared/durations.js'
import { isRecord, tryParseJson } from '../shared/json.js'

/** The position up to which events have been fetched. Both times are the service's, in milliseconds since the epoch. */
export interface PullPosition {
  /** Nothing before this was asked for. */
  fromMs: number
  /** When the last complete listing began: it has seen all that the service showed until then. */
  toMs: number
}

/** A position as it was kept; `undefined` if there is none. */
export function readPosition(text: string | undefined): PullPosition | undefined {
  const value = text === undefined ? undefined : tryParseJson(text)?.value
  const { fromMs, toMs } = isRecord(value) ? value : {}
  return typeof fromMs === 'number' && typeof toMs === 'number' ? { fromMs, toMs } : undefined
}

export function writePosition({ fromMs, toMs }: PullPosition): string {
  return JSON.stringify({ fromMs, toMs })
}

/** The hosts of a service do not agree to the second. */
const clockToleranceMs = minuteMs

/**
 * A position that the service's clock has not reached leads past events that are still to come: a sandbox's clock was
 * set back. `undefined` if there is nothing to repair.
 */
export function repairPosition(
  position: PullPosition,
  serviceNowMs: number,
): { position: PullPosition; problem: Error } | undefined {
  if (position.toMs <= serviceNowMs + clockToleranceMs) return undefined
  const fromMs = Math.min(position.fromMs, serviceNowMs - dayMs)
  const problem = new ContractError(
    `Events were fetched up to ${time(position.toMs)}, but the service's clock says ${time(serviceNowMs)}: it was set back. Fetching again from ${time(fromMs)}; events received before are skipped.`,
    { operation: 'listEvents', issues: ['the position is ahead of the service'] },
  )
  return { position: { fromMs, toMs: fromMs }, problem }
}

const time = (ms: number) => new Date(ms).toISOString()

/** What is asked for by days, such as 30d, is a little older once it is asked for. */
const forgottenToleranceMs = 10 * minuteMs

/**
 * A position from before what the service keeps: nobody fetched for so long, or a sandbox's clock was moved. What happened
 * in between is lost, which is said. `undefined` if nothing is.
 */
export function forgottenSince({ toMs }: PullPosition, serviceNowMs: number): Error | undefined {
  const oldestMs = oldestSinceMs(serviceNowMs)
  if (toMs >= oldestMs - forgottenToleranceMs) return undefined
  return new ContractError(`${forgottenText(toMs, oldestMs)} They were not fetched.`, {
    operation: 'listEvents',
    issues: ['the position is before what the service keeps'],
  })
}

/** Says which events cannot be fetched any more. */
export function forgottenText(fromMs: number, toMs: number): string {
  return `The service no longer lists the events from ${time(fromMs)} to ${time(toMs)}.`
}

/**
 * How far each listing looks back behind the position, for events that the service shows late: a minute every time, and
 * further now and then. The first listing looks back furthest.
 */
const lookBacks = [
  { everyMs: hourMs, backMs: dayMs },
  { everyMs: 30_000, backMs: 10 * minuteMs },
  { everyMs: 0, backMs: minuteMs },
]

/** Decides how far each listing looks back. */
interface LookBack {
  /** The look-back of the next listing, in milliseconds. */
  next(): number
  /** The listing has ended. */
  done(): void
}

/**
 * @param nowMs milliseconds since any moment; set back, it makes every look-back due
 * @param lastMs when each look-back was last done, by its length; kept up to date
 * @param longestMs length of the longest look-back that is done
 */
export function lookBack(
  nowMs: () => number,
  lastMs = new Map<number, number>(),
  longestMs = Number.POSITIVE_INFINITY,
): LookBack {
  let startedMs = 0
  let chosenMs = 0
  return {
    next() {
      startedMs = nowMs()
      const isDue = ({ everyMs, backMs }: (typeof lookBacks)[number]) => {
        const sinceMs = startedMs - (lastMs.get(backMs) ?? Number.NEGATIVE_INFINITY)
        return backMs <= longestMs && (sinceMs >= everyMs || sinceMs < 0)
      }
      chosenMs = lookBacks.find(isDue)?.backMs ?? minuteMs
      return chosenMs
    },
    done() {
      for (const { backMs } of lookBacks) if (backMs <= chosenMs) lastMs.set(backMs, startedMs)
    },
  }
}

/** From where a listing starts: as far back as it is to look, but not before what was asked for nor what is kept. */
export function startOfListing({ fromMs, toMs }: PullPosition, backMs: number, serviceNowMs: number): number {
  const oldestMs = oldestSinceMs(serviceNowMs)
  return Math.max(oldestMs, fromMs, toMs - backMs)
}

/** How long the service's clock is cached. */
const serviceTimeLifeMs = 30_000

/**
 * The service's time, asked for now and then and advanced in between.
 *
 * @param ask gives the service's time in milliseconds since the epoch
 * @param monotonicMs milliseconds since any moment, never set back
 */
export function serviceTime(ask: () => Promise<number>, monotonicMs: () => number): () => Promise<number> {
  let known: { atMs: number; askedMs: number } | undefined
  return async () => {
    if (known === undefined || monotonicMs() - known.askedMs >= serviceTimeLifeMs) {
      // Measured when the response is here: the estimate stays behind the service rather than run ahead of it.
      const atMs = await ask()
      known = { atMs, askedMs: monotonicMs() }
    }
    return known.atMs + (monotonicMs() - known.askedMs)
  }
}
