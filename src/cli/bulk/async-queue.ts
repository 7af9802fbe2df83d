/** How long values are collected: one write per value would be the largest cost of a fast run. */
const gatheringMs = 50

/** Passes values from callbacks to a loop, in batches of what has arrived since the last one. */
export class BufferedAsyncQueue<Value> implements AsyncIterable<Value[]> {
  private held: Value[] = []
  private isOver = false
  /** Ends the wait for a value. */
  private wake = () => {}
  /** Ends the wait for more values. */
  private hurry = () => {}
  private taken: Promise<void> | undefined
  private take = () => {}

  /** `most`: the number of values held before producers are asked to wait. */
  constructor(private readonly most: number) {}

  /** Adds a value; returns a promise if the loop cannot keep up, which resolves when it has. */
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
    this.hurry()
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
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gatheringMs)
      this.hurry = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
