import { longestDelayMs } from '../../../shared/durations.js'

/** A time limit that can be paused; it starts paused. */
export class Countdown {
  private timer: NodeJS.Timeout | undefined
  private startedMs = 0

  constructor(
    private leftMs: number,
    private readonly expired: () => void,
  ) {}

  resume(): void {
    this.startedMs = performance.now()
    if (Number.isFinite(this.leftMs))
      this.timer = setTimeout(this.expired, Math.min(Math.max(0, this.leftMs), longestDelayMs))
  }

  pause(): void {
    clearTimeout(this.timer)
    this.leftMs -= performance.now() - this.startedMs
  }
}
