import type { OrderHistory } from '../client/index.js'
import type { PreparedRow, RowAction } from './actions/row-action.js'
import type { Outcome, RowResult } from './outcome.js'
import type { RowState } from './record/row-states.js'
import type { RunRecord } from './record/run-record.js'

/** Where a row stands in its input. */
export type RowPlace = Pick<RowResult, 'row' | 'line'>

/** A row that is taken up, with what is known of it from before. */
export interface Entry<Input> extends OrderHistory {
  row: number
  line: number | undefined
  prepared: PreparedRow<Input>
}

/**
 * Rows that are taken up and not sent. They come in groups and ahead of the sending, so that many intents share one
 * write and no request waits for the disk; a row is ready once its intent is kept.
 */
export class RowQueue<Input> {
  /** Rows whose intents are not kept. */
  #fresh: Entry<Input>[] = []
  /** Rows that may be sent. */
  #ready: Entry<Input>[] = []
  /** Rows that other processes of a shared run have claimed. */
  #elsewhere: Pick<Entry<Input>, 'row' | 'line' | 'prepared'>[] = []
  #isKeeping = false

  constructor(
    private readonly record: Pick<RunRecord, 'intend'>,
    private readonly action: Pick<RowAction<Input>, 'serviceNowMs' | 'recall'>,
    private readonly on: {
      /** Rows became ready, or none did. */
      kept(): void
      /** Another process has settled a row, or is carrying it out if there is no outcome. */
      others(outcome: Outcome | undefined): void
      /** The intents of so many rows cannot be kept: they are no longer in the queue. */
      failed(rows: number, error: unknown): void
    },
  ) {}

  /** Adds a row; it waits for `keep`. */
  add({ row, line }: RowPlace, prepared: PreparedRow<Input>, state: RowState | undefined): void {
    const { wasSent = false, sentAtMs, idempotencyKey } = state ?? {}
    this.#fresh.push({ row, line, prepared: withKey(prepared, idempotencyKey), wasSent, sentAtMs })
  }

  /** Takes a row out that may be sent. */
  next(): Entry<Input> | undefined {
    return this.#ready.shift()
  }

  /** Takes all rows out, and says how many there were. */
  clear(): number {
    return this.#ready.splice(0).length + this.#fresh.splice(0).length
  }

  /** Takes the rows out that other processes had claimed. */
  takeElsewhere(): Pick<Entry<Input>, 'row' | 'line' | 'prepared'>[] {
    return this.#elsewhere.splice(0)
  }

  get hasElsewhere(): boolean {
    return this.#elsewhere.length > 0
  }

  /** Keeps the intents of fresh rows: what comes meanwhile shares the next write. */
  async keep(): Promise<void> {
    if (this.#isKeeping) return
    this.#isKeeping = true
    while (this.#fresh.length > 0) {
      const entries = this.#fresh.splice(0)
      try {
        const mine = await this.#intended(entries)
        const known = await this.action.recall?.(mine.map(({ prepared }) => prepared))
        for (const [at, entry] of mine.entries()) addHistory(entry, known?.[at])
        this.#ready.push(...mine)
      } catch (error) {
        this.on.failed(entries.length, error)
      }
      this.on.kept()
    }
    this.#isKeeping = false
  }

  /** Of these rows, those that are this run's to send; their intents are kept. */
  async #intended(entries: Entry<Input>[]): Promise<Entry<Input>[]> {
    const unsent = entries.filter(({ wasSent }) => !wasSent)
    if (unsent.length === 0) return entries
    const intents = unsent.map(({ row, prepared }) => {
      const { clientOrderReference, idempotencyKey, bodyHash } = prepared
      return { row, clientOrderReference, idempotencyKey, bodyHash }
    })
    const known = await this.record.intend(intents, this.action.serviceNowMs())
    if (known === undefined) return entries
    const others = new Set<Entry<Input>>()
    for (const [at, entry] of unsent.entries()) {
      const found = known[at]
      if (found === undefined) continue
      if (found.kind === 'resumed') {
        const prepared = withKey(entry.prepared, found.idempotencyKey)
        Object.assign(entry, { prepared, wasSent: true, sentAtMs: found.sentAtMs })
        continue
      }
      others.add(entry)
      if (found.kind === 'elsewhere') this.#elsewhere.push(entry)
      this.on.others(found.kind === 'settled' ? found.outcome : undefined)
    }
    return entries.filter((entry) => !others.has(entry))
  }
}

/** A row that may have been sent goes with the key that it was sent with. */
function withKey<Input>(prepared: PreparedRow<Input>, idempotencyKey: string | undefined): PreparedRow<Input> {
  return idempotencyKey === undefined ? prepared : { ...prepared, idempotencyKey }
}

/** Adds what other runs know to what this one does; the first time of sending counts. */
function addHistory(entry: OrderHistory, known: OrderHistory | undefined): void {
  if (known?.wasSent !== true) return
  const times = [entry.sentAtMs, known.sentAtMs].filter((time) => time !== undefined)
  Object.assign(entry, known, { sentAtMs: times.length === 0 ? undefined : Math.min(...times) })
}

/** What a result says of the row that it is about. */
export function identityOf({ clientOrderReference, namedBy, idempotencyKey }: PreparedRow<unknown>) {
  return { clientOrderReference: clientOrderReference ?? namedBy ?? null, idempotencyKey }
}
