/** Lets so many in at a time; the limit may change while they wait. */
export interface Gate {
  /** Resolves when there is room, in the order of asking; `undefined` where there is room now. */
  enter(): Promise<void> | undefined
  leave(): void
  readonly inside: number
}

export function createGate(limit: () => number): Gate {
  const waiting: (() => void)[] = []
  let inside = 0
  return {
    get inside() {
      return inside
    },
    enter() {
      if (waiting.length === 0 && inside < limit()) {
        inside++
        return undefined
      }
      return new Promise((resolve) => waiting.push(resolve))
    },
    leave() {
      inside--
      while (waiting.length > 0 && (inside < limit() || inside === 0)) {
        inside++
        waiting.shift()?.()
      }
    },
  }
}
