import type { Clock, Transport } from '../../client/index.js'

/** How long a command waits before it says so. */
const silentMs = 2_000
const tickMs = 250

/** The last answer, which says why a request is repeated. */
type LastAnswer = { status: number } | 'failed' | undefined

/** The place that shows a wait: a line of the terminal, or a place on a screen. */
export interface WaitingPlace {
  /** Shows a sentence in place of the one before. */
  show(text: string): void
  /** Called when nothing is waited for any more. */
  clear(): void
}

/**
 * Says what a command waits for, once that takes longer than two seconds: an answer, or the next attempt, with the
 * seconds left. The text is gone before anything else is printed.
 */
export class WaitingLine {
  /** The waits in progress, the newest last. */
  readonly #waits = new Set<() => string>()
  #last: LastAnswer
  #sinceMs = 0
  #endedMs = Number.NEGATIVE_INFINITY
  #ticker: NodeJS.Timeout | undefined

  constructor(
    private readonly place: WaitingPlace,
    private readonly clock: Clock,
  ) {}

  /** The same transport; a request that takes long is shown. */
  transport(transport: Transport): Transport {
    return {
      ...transport,
      send: async (request) => {
        const sentMs = this.clock.monotonicMs()
        const end = this.#begin(() => `Waiting for an answer for ${seconds(this.clock.monotonicMs() - sentMs)} s.`)
        try {
          const reply = await transport.send(request)
          this.#last = reply
          return reply
        } catch (error) {
          this.#last = 'failed'
          throw error
        } finally {
          end()
        }
      },
    }
  }

  /** The clock with waits that are counted down if they take long. */
  get waits(): Clock {
    const { clock } = this
    return {
      ...clock,
      sleep: async (delayMs, signal) => {
        const untilMs = this.clock.monotonicMs() + delayMs
        const why = reason(this.#last)
        const end = this.#begin(() => `${why}; retrying in ${seconds(untilMs - this.clock.monotonicMs())} s.`)
        try {
          await clock.sleep(delayMs, signal)
        } finally {
          end()
        }
      },
    }
  }

  #begin(text: () => string): () => void {
    // The attempts of one request follow each other at once.
    if (this.#waits.size === 0 && this.clock.monotonicMs() - this.#endedMs > tickMs)
      this.#sinceMs = this.clock.monotonicMs()
    this.#waits.add(text)
    this.#ticker ??= setInterval(() => this.#draw(), tickMs).unref()
    return () => {
      this.#waits.delete(text)
      if (this.#waits.size > 0) return
      this.#endedMs = this.clock.monotonicMs()
      clearInterval(this.#ticker)
      this.#ticker = undefined
      this.place.clear()
    }
  }

  #draw(): void {
    const text = [...this.#waits].at(-1)
    if (text !== undefined && this.clock.monotonicMs() - this.#sinceMs >= silentMs) this.place.show(text())
  }
}

function reason(last: LastAnswer): string {
  if (last === undefined || last === 'failed') return 'No connection'
  if (last.status === 429) return 'Rate limited'
  return last.status === 503 ? 'The service is unavailable' : `The service answered ${last.status}`
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}
