import { systemClock } from '../../client/index.js'
import { isOutage } from '../../client/internal.js'
import { spanText } from '../../render/times.js'
import { sentence } from '../../shared/texts.js'
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

  /** Asks until it is answered; an outage is waited out once `isKnown`, other failures are thrown. */
  async waitFor<Answer>(
    ask: () => Promise<Answer>,
    { isKnown, signal, pauseMs = 2_000 }: { isKnown(): boolean; signal: AbortSignal; pauseMs?: number },
  ): Promise<Answer> {
    for (;;) {
      try {
        const answer = await ask()
        this.ended()
        return answer
      } catch (error) {
        if (signal.aborted || !isKnown() || !isOutage(error)) throw error
        this.began(error)
        await systemClock.sleep(pauseMs, signal)
      }
    }
  }
}
