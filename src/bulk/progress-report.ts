import type { Clock } from '../client/index.js'
import type { Progress } from './progress.js'

/** How often progress is told at most, and how often it is while nothing happens, in milliseconds. */
const leastMs = 100
const idleMs = 250

/** Tells of progress as it is made, and while nothing happens. */
export class ProgressReport {
  #toldMs = Number.NEGATIVE_INFINITY
  readonly #ticker: ReturnType<typeof setInterval> | undefined

  constructor(
    private readonly onProgress: ((progress: Progress) => void) | undefined,
    private readonly progress: () => Progress,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {
    if (onProgress !== undefined) this.#ticker = setInterval(() => this.tell(), idleMs).unref()
  }

  tell(isLast = false): void {
    if (this.onProgress === undefined) return
    const nowMs = this.clock.monotonicMs()
    if (!isLast && nowMs - this.#toldMs < leastMs) return
    this.#toldMs = nowMs
    this.onProgress(this.progress())
  }

  stop(): void {
    clearInterval(this.#ticker)
  }
}
