/** How long values are collected: a write for each of them would be the largest cost of a fast run. */
const gatheringMs = 10

/** Passes values from callbacks to a loop, in batches of what has arrived since the last one. */
export class BufferedAsyncQueue<Value> implements AsyncIterable<Value[]> {
  private held: Value[] = []
  private isOver = false
  private isGathering = false
  /** Ends a wait: for a value, or for more of them. */
  private wake = () => {}
  private taken: Promise<void> | undefined
  private take = () => {}

  /** `most`: the number of values held before producers are asked to wait. */
  constructor(private readonly most: number) {}

  /** Adds a value; returns a promise if the loop cannot keep up, which resolves when it has. */
  push(value: Value): Promise<void> | undefined {
    this.held.push(value)
    if (!this.isGathering) this.wake()
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
      await this.gather()
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

  /** Lets values come together for a while, or until no more will come. */
  private async gather(): Promise<void> {
    if (this.isOver) return
    this.isGathering = true
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gatheringMs)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.isGathering = false
  }
}
