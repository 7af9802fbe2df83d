import type { RunOptions } from './options.js'
import type { RowResult } from './outcome.js'
import type { RunRecord } from './record/run-record.js'

/** Passes results to the record and to `onResult`, and counts those that are still being processed. */
export class Results {
  /** Results that are being written, or processed by `onResult`. */
  waiting = 0

  constructor(
    private readonly record: Pick<RunRecord, 'complete'>,
    private readonly onResult: RunOptions<never>['onResult'],
    private readonly on: {
      /** Called when a result has been processed. */
      taken(): void
      unwritten(error: unknown): void
      unread(error: unknown): void
    },
  ) {}

  add(result: RowResult): void {
    this.#await(this.record.complete(result), this.on.unwritten)
    try {
      const reading = this.onResult?.(result)
      if (isPromise(reading)) this.#await(reading, this.on.unread)
    } catch (error) {
      this.on.unread(error)
    }
  }

  #await(taking: PromiseLike<unknown>, onFailure: (error: unknown) => void): void {
    this.waiting++
    const end = () => {
      this.waiting--
      this.on.taken()
    }
    taking.then(end, (error: unknown) => {
      onFailure(error)
      end()
    })
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}
