import type { Worker } from 'node:worker_threads'
import type { InputRow, Rows } from '../../../../bulk/index.js'
import { jsonParserOf, type ParserPosition, type TextRows } from '../../../../bulk/internal.js'
import { startThread } from '../../../../shared/start-thread.js'
import {
  errorOf,
  type FromThread,
  type PackedRows,
  type QuotedOrder,
  type ThreadSetup,
  type ToThread,
  unpackRows,
} from './messages.js'

/** Pieces of the text that the thread has before their rows are asked for. */
const piecesAhead = 4

/** Rows that a thread reads. The first ones, and all where there can be no thread, are read here. */
export class ThreadedRows implements Rows {
  readonly reading
  readonly #starting: Promise<OrderThread | undefined>
  #thread: OrderThread | undefined

  /**
   * Starts the thread at once. `close` has to be called.
   *
   * @param way.readHere makes of a row what the thread makes of it
   * @param way.onQuoted told of each order of the thread's that has a quote of its own
   */
  constructor(
    private readonly rows: TextRows,
    setup: Omit<ThreadSetup, 'format'>,
    private readonly way: { readHere(row: InputRow): InputRow; onQuoted(order: QuotedOrder): void },
  ) {
    this.reading = rows.reading
    this.#starting = startOrderThread({ ...setup, format: rows.format })
    this.#starting.then((thread) => {
      this.#thread = thread
    })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly InputRow[]> {
    const pieces = this.rows.pieces()
    const parser = jsonParserOf(this.rows.format)
    while (this.#thread === undefined) {
      const piece = await pieces.next()
      const rows = piece.done === true ? parser.end() : parser.push(piece.value)
      this.reading.rowsRead += rows.length
      if (rows.length > 0) yield rows.map(this.way.readHere)
      if (piece.done === true) return
    }
    this.#thread.takeOver(parser.position())
    yield* this.#rowsFrom(this.#thread, pieces)
  }

  async *#rowsFrom(thread: OrderThread, pieces: AsyncGenerator<string>): AsyncGenerator<readonly InputRow[]> {
    const batches: Promise<PackedRows>[] = []
    let isOver = false
    for (;;) {
      while (!isOver && batches.length < piecesAhead) {
        const piece = await pieces.next()
        isOver = piece.done === true
        batches.push(thread.read(piece.done === true ? 'end' : { piece: piece.value }))
      }
      const batch = batches.shift()
      if (batch === undefined) return
      const packed = await batch
      for (const [at, quoteId] of packed.quoteIds)
        this.way.onQuoted({ clientOrderReference: packed.references[at] ?? '', quoteId })
      const rows = unpackRows(packed)
      this.reading.rowsRead += rows.length
      if (rows.length > 0) yield rows
    }
  }

  async close(): Promise<void> {
    await (await this.#starting)?.close()
  }
}

/** `undefined` where there can be none: a bundler may have left its source out, or Node has been told to allow no threads. */
async function startOrderThread(setup: ThreadSetup): Promise<OrderThread | undefined> {
  try {
    const { threadSource } = await import('./thread-source.generated.js')
    return new OrderThread(await startThread(threadSource, 'orders', setup))
  } catch {
    return undefined
  }
}

class OrderThread {
  readonly #awaited: PromiseWithResolvers<PackedRows>[] = []
  #failure: { error: Error } | undefined

  constructor(private readonly worker: Worker) {
    const fail = (error: Error) => {
      this.#failure ??= { error }
      for (const { reject } of this.#awaited.splice(0)) reject(error)
    }
    worker.on('error', fail)
    worker.on('exit', () => fail(new Error('The thread that reads the orders has ended')))
    worker.on('message', (message: Exclude<FromThread, 'ready'>) => {
      const next = this.#awaited.shift()
      // A thread that nobody waits for keeps no process from ending.
      if (this.#awaited.length === 0) worker.unref()
      if ('fault' in message) next?.reject(errorOf(message.fault))
      else next?.resolve(message)
    })
  }

  /** Continues where another parser has come to; pieces follow. */
  takeOver(from: ParserPosition): void {
    this.#post({ from })
  }

  /** The rows that the next piece of the text completes. */
  read(message: Exclude<ToThread, { from: unknown }>): Promise<PackedRows> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    const answer = Promise.withResolvers<PackedRows>()
    // Who waits for one of several answers leaves the others when it fails.
    answer.promise.catch(() => undefined)
    if (this.#awaited.length === 0) this.worker.ref()
    this.#awaited.push(answer)
    this.#post(message)
    return answer.promise
  }

  #post(message: ToThread): void {
    this.worker.postMessage(message)
  }

  async close(): Promise<void> {
    await this.worker.terminate()
  }
}
