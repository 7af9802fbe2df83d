import type { RunOptions } from './options.js'
import type { RowResult } from './outcome.js'
import type { RunRecord } from './record/run-record.js'

/** Results that share one write to the disk. */
interface Group {
  written: Promise<void>
  results: number
}

/** Hands results to the record and to their reader, and counts those that neither has taken yet. */
export class Results {
  /** Results that wait for the disk or for their reader. */
  waiting = 0
  #group: Group | undefined

  constructor(
    private readonly record: Pick<RunRecord, 'conclude'>,
    private readonly onResult: RunOptions<never>['onResult'],
    private readonly on: {
      /** Fewer results wait than before. */
      taken(): void
      unwritten(error: unknown): void
      unread(error: unknown): void
    },
  ) {}

  add(result: RowResult): void {
    this.#write(this.record.conclude(result))
    const reading = this.onResult?.(result)
    if (isPromise(reading)) this.#read(reading)
  }

  /** The results of one write have one promise, which is waited for once. */
  #write(written: Promise<void>): void {
    this.waiting++
    if (this.#group?.written === written) {
      this.#group.results++
      return
    }
    const group = { written, results: 1 }
    this.#group = group
    this.#await(written, this.on.unwritten, () => group.results)
  }

  #read(reading: PromiseLike<unknown>): void {
    this.waiting++
    this.#await(reading, this.on.unread, () => 1)
  }

  #await(taking: PromiseLike<unknown>, onFailure: (error: unknown) => void, results: () => number): void {
    const end = () => {
      this.waiting -= results()
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
