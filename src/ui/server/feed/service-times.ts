/** A moment by two clocks, in milliseconds since the epoch. */
export interface Moment {
  /** By this machine's clock. */
  realMs: number
  /** By the service's. */
  serviceMs: number
}

/** The service's clock was moved if it is further than this from where it should be; an answer tells whole seconds. */
const clockErrorMs = 3_000
/** Those of long ago matter to nobody. */
const keptMoments = 500

/**
 * When a time of the service's clock was, by this machine's. A sandbox's clock can be moved in both directions: what
 * happens while it leaps ahead happens between the moment before and the one after.
 */
export class ServiceTimes {
  /** The moments before and after each leap or change of speed; both times ascend. */
  private moments: readonly Moment[] = []
  private last: (Moment & { scale: number }) | undefined

  /**
   * Notes what the clocks say now.
   *
   * @param known earlier moments, such as those of requests
   * @param scale how many times faster the service's clock runs
   */
  note(now: Moment, known: readonly Moment[] = [], scale = 1): void {
    const { last } = this
    this.last = { ...now, scale }
    const isEven = (moment: Moment) => Math.abs(offMs(moment, now, scale)) <= clockErrorMs
    if (last?.scale === scale && [last, ...known].every(isEven)) return
    this.moments = ascending([...this.moments, ...(last === undefined ? [] : [last]), ...known, now])
  }

  /** By how much the service's clock is ahead. */
  get aheadMs(): number {
    return this.last === undefined ? 0 : this.last.serviceMs - this.last.realMs
  }

  /** What the service's clock calls future has happened just now. */
  realMsOf(serviceMs: number): number {
    const { last } = this
    if (last === undefined) return serviceMs
    if (serviceMs >= last.serviceMs) return last.realMs
    const moments = [...this.moments, last]
    const index = moments.findIndex((moment) => moment.serviceMs > serviceMs)
    const [before, after] = [moments[index - 1], moments[index] ?? last]
    const untilMs = after.serviceMs - serviceMs
    if (before === undefined) return after.realMs - untilMs / Math.max(1, last.scale)
    return after.realMs - (untilMs * (after.realMs - before.realMs)) / (after.serviceMs - before.serviceMs)
  }
}

/** How far the service's clock is from where it would be if nobody had moved it. */
function offMs(last: Moment, now: Moment, scale: number): number {
  return now.serviceMs - last.serviceMs - (now.realMs - last.realMs) * scale
}

/** Without the moments whose times came a second time, after the clock was set back. */
function ascending(moments: readonly Moment[]): Moment[] {
  const kept: Moment[] = []
  for (const moment of moments.toSorted((one, other) => other.realMs - one.realMs)) {
    const newer = kept.at(-1)
    if (newer === undefined || moment.serviceMs < newer.serviceMs) kept.push(moment)
  }
  return kept.slice(0, keptMoments).reverse()
}
