/** Admits a limited number of holders at a time; the limit may change while others wait. */
export interface Semaphore {
  /** Resolves when there is room, first come first served; `undefined` if there is room now. */
  acquire(): Promise<void> | undefined
  release(): void
  readonly held: number
}

export function createSemaphore(limit: () => number): Semaphore {
  const waiting: (() => void)[] = []
  let held = 0
  return {
    get held() {
      return held
    },
    acquire() {
      if (waiting.length === 0 && held < limit()) {
        held++
        return undefined
      }
      return new Promise((resolve) => waiting.push(resolve))
    },
    release() {
      held--
      while (waiting.length > 0 && (held < limit() || held === 0)) {
        held++
        waiting.shift()?.()
      }
    },
  }
}
