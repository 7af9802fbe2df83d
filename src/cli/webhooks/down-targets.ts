import type { ForwardLine } from '../../render/listener-lines.js'

/** A target that is down, at one moment. */
export interface DownTarget {
  url: string
  /** Why the last attempt failed. */
  reason: string
  downMs: number
  /** Until the next attempt. */
  retryInMs: number
}

/** The delay before a target that is down is first summarized, and the interval of further summaries. */
const firstAfterMs = 2_000
const everyMs = 60_000

interface Outage {
  sinceMs: number
  nextMs: number
  isSaid: boolean
}

/**
 * Which forwards of a target that is down are worth a line: the first failure, and from then on one line for the target
 * a minute, however many deliveries wait for it.
 */
export class DownTargets {
  readonly #outages = new Map<string, Outage>()

  /**
   * `line`: the attempt has its own line; `nothing`: it is one more failure of a target that is known to be down;
   * `DownTarget`: a line for the target is due; `back`: it answers again, after `downMs`.
   */
  see(record: ForwardLine, nowMs: number): 'line' | 'nothing' | DownTarget | { back: string; downMs: number } {
    const { url, status, error, retryInMs } = record
    const outage = this.#outages.get(url)
    if (retryInMs === undefined || !isOutage(status)) {
      this.#outages.delete(url)
      return outage?.isSaid === true && status !== null ? { back: url, downMs: nowMs - outage.sinceMs } : 'line'
    }
    if (outage === undefined) {
      this.#outages.set(url, { sinceMs: nowMs, nextMs: nowMs + firstAfterMs, isSaid: false })
      return 'line'
    }
    if (nowMs < outage.nextMs) return 'nothing'
    outage.nextMs = nowMs + everyMs
    outage.isSaid = true
    return { url, reason: error ?? `it answers ${status}`, downMs: nowMs - outage.sinceMs, retryInMs }
  }
}

/** No response, or a gateway's word that nothing is behind it. An app's own 500 tells of one event. */
function isOutage(status: number | null): boolean {
  return status === null || status === 502 || status === 503 || status === 504
}
