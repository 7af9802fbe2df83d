/** Work that waits for its group's transaction. */
interface Waiting {
  work: () => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The database methods that a group needs. */
interface Transactions {
  /** All of `work` or nothing of it. */
  write<T>(work: () => T): T
  /** Whether a transaction is under way: some errors, such as a full disk, end it. */
  readonly isWriting: boolean
  /** Number of statements so far that have changed something. */
  readonly mutations: number
}

/** Ends a group's transaction: a piece of work failed and left something to undo. */
class HalfDone extends Error {}

/**
 * Work that arrives in one turn of the event loop shares one commit, which costs more than the work does. Each piece is
 * undone by itself if it fails, and settles after the commit.
 */
export class WriteGroup {
  private waiting: Waiting[] = []

  constructor(private readonly transactions: Transactions) {}

  /** `work` is done again if work beside it has to be undone. */
  add<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (this.waiting.length === 1) setImmediate(() => this.commit())
    })
  }

  private commit(): void {
    const group = this.waiting
    this.waiting = []
    for (const settle of this.settlementsOf(group)) settle()
  }

  private settlementsOf(group: readonly Waiting[]): (() => void)[] {
    try {
      return this.transactions.write(() => group.map((one) => this.joined(one)))
    } catch (error) {
      // Refusals come before the first write, so that hardly any group is done again.
      if (error instanceof HalfDone) return group.map((one) => this.alone(one))
      return group.map(
        ({ reject }) =>
          () =>
            reject(error),
      )
    }
  }

  private joined({ work, resolve, reject }: Waiting): () => void {
    const { mutations } = this.transactions
    try {
      const result = work()
      return () => resolve(result)
    } catch (error) {
      const hasLeftNothing = this.transactions.isWriting && this.transactions.mutations === mutations
      if (hasLeftNothing) return () => reject(error)
      throw new HalfDone(undefined, { cause: error })
    }
  }

  private alone({ work, resolve, reject }: Waiting): () => void {
    try {
      const result = this.transactions.write(work)
      return () => resolve(result)
    } catch (error) {
      return () => reject(error)
    }
  }
}
