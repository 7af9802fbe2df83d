import type { Store } from '../store/store.js'

/** The relation of virtual to real time; stored in the file, so that every process on it reads the same clock. */
interface ClockState {
  virtualBaseMs: number
  realBaseMs: number
  /** Virtual milliseconds a real one. */
  scale: number
  /** While the clock is being advanced it stands still, at most until this real time. */
  heldUntilRealMs?: number
}

/** A process that dies while it advances the clock must not stop it forever. */
const HOLD_MS = 30_000

/** The limit of virtual time: a timestamp after the year 9999 would not be RFC 3339. */
export const LATEST_MS = Date.UTC(9_000, 0, 1)

/** Maximum number of virtual seconds per real second. */
export const MAX_TIME_SCALE = 1_000_000

/** The time of everything that the contract times: quotes, keys, retries, gates, retention. Follows real time by default. */
export class VirtualClock {
  constructor(
    private readonly store: Store,
    private readonly realNowMs: () => number,
  ) {}

  private state(): ClockState {
    return this.store.settings.get<ClockState>('clock') ?? { virtualBaseMs: 0, realBaseMs: 0, scale: 1 }
  }

  nowMs(): number {
    const { virtualBaseMs, realBaseMs, scale, heldUntilRealMs } = this.state()
    const since = Math.max(realBaseMs, heldUntilRealMs ?? realBaseMs)
    const elapsedMs = this.realNowMs() - since
    if (heldUntilRealMs !== undefined && elapsedMs < 0) return virtualBaseMs
    return Math.min(Math.floor(virtualBaseMs + elapsedMs * scale), LATEST_MS)
  }

  get scale(): number {
    return this.state().scale
  }

  /** Moves the clock; it runs on from there. */
  set(virtualMs: number, scale = this.scale): void {
    this.save({ virtualBaseMs: virtualMs, realBaseMs: this.realNowMs(), scale })
  }

  /** Moves the clock and lets it stand there until it is moved again. */
  hold(virtualMs: number): void {
    const realBaseMs = this.realNowMs()
    const { scale } = this.state()
    this.save({ virtualBaseMs: virtualMs, realBaseMs, scale, heldUntilRealMs: realBaseMs + HOLD_MS })
  }

  private save(state: ClockState): void {
    this.store.write(() => this.store.settings.set('clock', state))
  }
}
