import type { InputRow } from './input/row-source.js'

/** Reads rows until their end, or until it is stopped: a pipe may be idle for a long time when a run has to end. */
export class RowReader {
  readonly #rows: AsyncIterator<readonly InputRow[]>
  #isStopped = false
  #isOver = false
  #stopWaiting: () => void = () => undefined

  constructor(rows: AsyncIterable<readonly InputRow[]>) {
    this.#rows = rows[Symbol.asyncIterator]()
  }

  /**
   * The next rows; `undefined` at the end of the input, and once it is stopped.
   *
   * @throws UsageError if the input as a whole cannot be understood
   */
  next(): Promise<readonly InputRow[] | undefined> {
    if (this.#isStopped) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      this.#stopWaiting = () => resolve(undefined)
      this.#rows.next().then(
        ({ done, value }) => {
          this.#isOver = done === true
          resolve(done === true ? undefined : value)
        },
        (error: unknown) => {
          this.#isOver = true
          reject(error)
        },
      )
    })
  }

  /** Ends a wait for rows. */
  stop(): void {
    this.#isStopped = true
    this.#stopWaiting()
  }

  /** Tells the source that nothing more is read, without waiting for it: it may wait for input that never comes. */
  close(): void {
    if (!this.#isOver) this.#rows.return?.().catch(() => undefined)
  }
}
