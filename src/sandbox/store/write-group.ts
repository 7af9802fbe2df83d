/** Work that waits for its group's transaction. */
interface Waiting {
  work: () => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** What a group needs of the database. */
export interface Transactions {
  /** All of `work` or nothing of it. */
  write<T>(work: () => T): T
  /** All of `work` or nothing of it, within the running `write`. */
  nested<T>(work: () => T): T
  /** Whether a transaction is under way: some errors, such as a full disk, end it. */
  readonly isWriting: boolean
}

/**
 * Work that arrives in one turn of the event loop shares one commit, which costs more than the work does. Each piece is
 * undone by itself if it fails, and settles after the commit.
 */
export class WriteGroup {
  private waiting: Waiting[] = []

  constructor(private readonly transactions: Transactions) {}

  add<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (this.waiting.length === 1) setImmediate(() => this.commit())
    })
  }

  private commit(): void {
    const group = this.waiting
    this.waiting = []
    let settle: (() => void)[]
    try {
      settle = this.transactions.write(() => group.map((one) => this.settlementOf(one)))
    } catch (error) {
      settle = group.map(
        ({ reject }) =>
          () =>
            reject(error),
      )
    }
    for (const one of settle) one()
  }

  private settlementOf({ work, resolve, reject }: Waiting): () => void {
    try {
      const result = this.transactions.nested(work)
      return () => resolve(result)
    } catch (error) {
      if (!this.transactions.isWriting) throw error
      return () => reject(error)
    }
  }
}
