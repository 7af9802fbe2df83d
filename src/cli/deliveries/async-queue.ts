import { setTimeout as wait } from 'node:timers/promises'

/** How long values are gathered: a write for each would cost a fast run more than all else. */
const gatheringMs = 10

/** Values handed from callbacks to a loop, as many at a time as have come since the last. */
export class BufferedAsyncQueue<Value> implements AsyncIterable<Value[]> {
  private held: Value[] = []
  private isOver = false
  private wake = () => {}
  private taken: Promise<void> | undefined
  private take = () => {}

  /** `most`: values held before those who add more are asked to wait. */
  constructor(private readonly most: number) {}

  /** Adds a value; a promise where the loop cannot keep up, resolved when it has. */
  push(value: Value): Promise<void> | undefined {
    this.held.push(value)
    this.wake()
    if (this.held.length < this.most) return undefined
    this.taken ??= new Promise((resolve) => {
      this.take = resolve
    })
    return this.taken
  }

  end(): void {
    this.isOver = true
    this.wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value[]> {
    for (;;) {
      if (!this.isOver) await wait(gatheringMs)
      const batch = this.held
      if (batch.length > 0) {
        this.held = []
        this.taken = undefined
        this.take()
        yield batch
      } else if (this.isOver) return
      else
        await new Promise<void>((resolve) => {
          this.wake = resolve
        })
    }
  }
}
