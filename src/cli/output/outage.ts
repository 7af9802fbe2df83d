import { spanText } from '../../render/times.js'
import { sentence } from '../../shared/sentence.js'
import type { Notices } from './notices.js'

/** An outage that a command waits out: it is said once when it begins and once when it is over. */
export class Outage {
  readonly #notices: Pick<Notices, 'warn' | 'notice'>
  #sinceMs: number | undefined

  constructor(notices: Pick<Notices, 'warn' | 'notice'>) {
    this.#notices = notices
  }

  began(error: unknown): void {
    if (this.#sinceMs !== undefined) return
    this.#sinceMs = performance.now()
    const what = error instanceof Error ? error.message : String(error)
    this.#notices.warn(`${sentence(what)} Waiting for it to end; nothing is missed. Ctrl-C stops.`)
  }

  ended(): void {
    if (this.#sinceMs === undefined) return
    this.#notices.notice(`The service answers again, after ${spanText(performance.now() - this.#sinceMs)}.`)
    this.#sinceMs = undefined
  }
}
