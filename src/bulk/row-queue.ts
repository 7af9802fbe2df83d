import type { OrderHistory, Pacer } from '../client/index.js'
import type { PreparedRow, RowAction, RowHistory } from './actions/row-action.js'
import type { InputRow } from './input/row-source.js'
import type { Outcome, RowResult } from './outcome.js'
import type { OwnClaim, RunRecord } from './record/run-record.js'

/** A row's position in its input. */
export type RowPlace = Pick<RowResult, 'row' | 'line'>

/** A row of the input, ready to be claimed. */
interface QueuedRow<Input> extends RowPlace {
  prepared: PreparedRow<Input>
}

/** A row that this run has claimed and may send. */
interface ClaimedRow<Input> extends QueuedRow<Input> {
  history: RowHistory
}

/**
 * The rows of a run without an outcome. A row waits, is claimed in a group with others, and is then ready to be sent; or
 * it is held back because another process has claimed it. Groups are claimed before they can be sent, so that many claims
 * share one write and no request waits for the disk.
 */
export class RowQueue<Input> {
  #waiting: QueuedRow<Input>[] = []
  #claiming: QueuedRow<Input>[] = []
  #ready: ClaimedRow<Input>[] = []
  #held: QueuedRow<Input>[] = []
  #inFlight = 0

  constructor(
    private readonly record: Pick<RunRecord, 'claim'>,
    private readonly action: Pick<RowAction<Input>, 'serviceNowMs' | 'record'>,
  ) {}

  /** Requests in flight. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Rows that wait for their claim, for room, or for a response. */
  get open(): number {
    return this.#waiting.length + this.#claiming.length + this.#ready.length + this.#inFlight
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Rows that other processes have claimed. */
  get held(): number {
    return this.#held.length
  }

  /** Adds a row; it waits for `claim`. */
  add(row: QueuedRow<Input>): void {
    this.#waiting.push(row)
  }

  /**
   * Claims the rows that wait. If that fails, they wait again.
   *
   * @returns the outcomes of rows that are already settled
   */
  async claim(): Promise<Outcome[]> {
    const rows = this.#waiting.splice(0)
    this.#claiming = rows
    try {
      const identities = rows.map(({ row, prepared: { clientOrderReference, idempotencyKey, bodyHash } }) => {
        return { row, clientOrderReference, idempotencyKey, bodyHash }
      })
      const claims = await this.record.claim(identities, this.action.serviceNowMs())
      const own: ClaimedRow<Input>[] = []
      const held: QueuedRow<Input>[] = []
      const outcomes: Outcome[] = []
      for (const [at, row] of rows.entries()) {
        const claim = claims[at]
        if (claim?.kind === 'own') own.push(claimed(row, claim))
        else if (claim?.kind === 'settled') outcomes.push(claim.outcome)
        else held.push(row)
      }
      const histories = await this.action.record?.(own.map(({ prepared }) => prepared))
      for (const [at, row] of own.entries()) addHistory(row.history, histories?.[at])
      this.#ready.push(...own)
      this.#held.push(...held)
      return outcomes
    } catch (error) {
      this.#waiting.unshift(...rows)
      throw error
    } finally {
      this.#claiming = []
    }
  }

  /** Removes and returns the rows that other processes have claimed, to be added again. */
  takeHeld(): QueuedRow<Input>[] {
    return this.#held.splice(0)
  }

  /** Returns the next row to send and counts it as in flight. */
  begin(): ClaimedRow<Input> | undefined {
    const row = this.#ready.shift()
    if (row !== undefined) this.#inFlight++
    return row
  }

  /** Counts a row as no longer in flight. */
  end(): void {
    this.#inFlight--
  }

  /** Drops the rows that are not in flight, for a later run, and returns their number. */
  release(): number {
    return this.#ready.splice(0).length + this.#waiting.splice(0).length
  }
}

/** A row that may have been sent keeps its original idempotency key. */
function claimed<Input>(row: QueuedRow<Input>, claim: OwnClaim): ClaimedRow<Input> {
  const { idempotencyKey, wasSent, sentAtMs, clashingRow } = claim
  const prepared = idempotencyKey === undefined ? row.prepared : { ...row.prepared, idempotencyKey }
  return { ...row, prepared, history: { wasSent, sentAtMs, clashingRow } }
}

/** Merges the history from other runs; the earliest time of sending counts. */
function addHistory(history: RowHistory, known: OrderHistory | undefined): void {
  if (known?.wasSent !== true) return
  const times = [history.sentAtMs, known.sentAtMs].filter((time) => time !== undefined)
  Object.assign(history, known, { sentAtMs: times.length === 0 ? undefined : Math.min(...times) })
}

/** The part of a result that says which row it is about. */
export function identityOf({ clientOrderReference, namedBy, idempotencyKey }: PreparedRow<unknown>) {
  return { clientOrderReference: clientOrderReference ?? namedBy ?? null, idempotencyKey }
}

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

/** The default for requests in flight. */
export const defaultConcurrency = 64
/** Requests in flight at the start of a run. */
const firstInFlight = 4
/** Responses of the cautious start, in which every fourth response adds one request in flight. */
const cautiousAnswers = 10
/** Requests in flight beyond those that the rate limit needs at the current latency. */
const spare = 4
/** Rows claimed ahead before the first response, which tells the service's time that intents record. */
const firstAhead = 16
/** More rows claimed ahead for each response, so that a long run waits for the disk less often. */
const aheadForAnswer = 8

/**
 * Limits the requests in flight and the rows claimed ahead of them. A run starts with a few requests and adds more with
 * each response, so that few are wasted if the service refuses the key or asks to wait.
 */
export class Concurrency {
  #answers = 0

  constructor(
    private readonly most: number,
    private readonly mostAhead: number,
    private readonly pacer: Pick<Pacer, 'allowedPerSecond' | 'meanLatencyMs'>,
  ) {}

  /** Counts a response that does not end the run. */
  countAnswer(): void {
    this.#answers++
  }

  /** Requests that may be in flight. */
  room(): number {
    return Math.max(1, Math.min(this.most, this.#earned(), this.#useful()))
  }

  /** Rows that may be claimed beyond those in flight. */
  ahead(): number {
    return Math.min(this.mostAhead, firstAhead + this.#answers * aheadForAnswer)
  }

  #earned(): number {
    const cautious = firstInFlight + Math.floor(Math.min(this.#answers, cautiousAnswers) / 4)
    return cautious + Math.max(0, this.#answers - cautiousAnswers)
  }

  /** The requests in flight that the rate limit needs at the current latency, and some to spare. */
  #useful(): number {
    const perSecond = this.pacer.allowedPerSecond()
    const latencyMs = this.pacer.meanLatencyMs()
    if (perSecond === undefined || latencyMs === undefined) return Number.POSITIVE_INFINITY
    return Math.ceil((perSecond * latencyMs * 2) / 1_000) + spare
  }
}
