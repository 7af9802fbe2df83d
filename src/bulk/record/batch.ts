/** An item that waits for the next statement. */
interface Waiting<Item, Answer> {
  item: Item
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/** Items that come while a statement is under way share the next one. */
export class Batch<Item, Answer> {
  #waiting: Waiting<Item, Answer>[] = []
  #running: Promise<void> | undefined

  /** @param send answers each item, in their order */
  constructor(private readonly send: (items: readonly Item[]) => Promise<readonly Answer[]>) {}

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#running ??= this.#drain()
    })
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #drain(): Promise<void> {
    // What is added in the same turn is written with it.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      try {
        const answers = await this.send(batch.map(({ item }) => item))
        for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#running = undefined
  }
}
