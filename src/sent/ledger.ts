import type { DatabaseSync } from 'node:sqlite'
import { type IdentifiedOrder, type OrderHistory, type OrderLedger, orderDifferences } from '../client/index.js'
import { keyLifeMs } from '../client/internal.js'
import type { Delivery, FieldError, Quote } from '../contract/index.js'
import { isRecord, textAt, textOf, tryParseJson } from '../shared/json.js'
import type { SentFacts } from '../trade/sent-facts.js'
import { type KnownOrders, knownOrders, movedLines, noOrders, type SentLine, sentFactsOf } from './facts.js'
import { comparedOf, copiedOf, hashedNames, keptOf, shownOf } from './kept.js'
import { type LedgerStatements, ledgerStatements, openLedgerFile } from './ledger-file.js'
import { diskError, etaOf, sentOrders } from './read.js'
import { textsFile, textsOf, WaitingTexts } from './texts.js'

/** The place and the account of a ledger. */
export interface LedgerOptions {
  /** The database; it is created for its owner only. */
  file: string
  /** Tells accounts apart: the same order of two accounts is two deliveries. */
  account: string
  /** This machine's clock, for tests. */
  nowMs?: (() => number) | undefined
  /**
   * Called once if the file cannot be used; the ledger then knows and keeps nothing. Without it, its methods throw.
   *
   * @param keys the idempotency keys of the orders that are not recorded; empty for a quote or a change
   */
  onFailure?: ((failure: Error, keys: readonly string[]) => void) | undefined
  /**
   * Keeps the words of orders that may name a person or a thing (descriptions, items, metadata) in a file of their own
   * until an archive takes them, for 30 days at most; called once if that file cannot be written. Default: they are not kept.
   */
  onTextsFailure?: ((failure: Error) => void) | undefined
}

/** What was sent for an account, in a file. */
export interface SentLedger extends OrderLedger {
  /**
   * Records orders before they are sent, and returns what was sent of each before.
   *
   * @param source the file that the orders are from
   */
  record(
    orders: readonly IdentifiedOrder[],
    serviceMs: number | undefined,
    source?: string,
  ): OrderHistory[] | Promise<OrderHistory[]>
  /**
   * The parts of a delivery's order that the service does not show. Text that may name a person or a thing is not among
   * them.
   */
  sentParts(delivery: Delivery): Readonly<Record<string, unknown>> | undefined
  /** The names of the texts of a delivery's order that are kept only as hashes, such as `package.description`. */
  hashedTexts(delivery: Delivery): readonly string[]
  /** The delivery that the newest order with a reference became. */
  deliveryOf(clientOrderReference: string): string | undefined
  /** Whether an order recorded within the last `withinMs` became this delivery. */
  hasNew(deliveryId: string, withinMs: number): boolean
  /** Keeps what quotes promise. */
  quoted(quotes: readonly Quote[]): void
  /** Keeps which quote an order is created with, and what it promises. Written later, or by `flush`. */
  chosen(quote: Quote, clientOrderReference: string | null | undefined): void
  /** Keeps what is known of an order that is sent by itself, under a key that nobody else uses. Written later. */
  noted(order: unknown): void
  /** Keeps the window and the installation that an accepted update gave an order. Written later, or by `flush`. */
  moved(delivery: Pick<Delivery, 'clientOrderReference'>, patch: unknown): void
  /** Writes what is pending. */
  flush(): void
  /** The known facts of one order. */
  factsOf(clientOrderReference: string | null | undefined): SentFacts | undefined
  /** What is known of all orders. */
  read(): KnownOrders
  /** Writes what is pending. The ledger cannot be used after it. */
  close(): void
}

/** Deliveries and refusals that share one transaction, unless orders that are about to be sent come first. */
const mostPending = 512
const longestPendingMs = 100

/**
 * Opens the ledger of an account: each order's reference, key and body hash, recorded before it is sent, and the
 * delivery that it became. It holds no personal data. Several processes can use it at the same time.
 *
 * @throws the error of the file system or of SQLite if it cannot be opened
 */
export function openOrderLedger({ onFailure, ...options }: LedgerOptions): SentLedger {
  return onFailure === undefined ? openFile(options) : forgiving(() => openFile(options), onFailure)
}

function openFile({ file, account, nowMs = Date.now, onTextsFailure }: Omit<LedgerOptions, 'onFailure'>): SqliteLedger {
  const database = openLedgerFile(file)
  const texts = onTextsFailure && new WaitingTexts(textsFile(file), account, nowMs, onTextsFailure)
  return new SqliteLedger(database, account, nowMs, texts)
}

class SqliteLedger implements SentLedger {
  readonly #accountId: number
  readonly #statements: LedgerStatements
  #pending: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly database: DatabaseSync,
    account: string,
    private readonly nowMs: () => number,
    private readonly texts: WaitingTexts | undefined,
  ) {
    database.prepare('INSERT OR IGNORE INTO accounts (name) VALUES (?)').run(account)
    this.#accountId = Number(database.prepare('SELECT id FROM accounts WHERE name = ?').get(account)?.id)
    this.#statements = ledgerStatements(database)
  }

  record(orders: readonly IdentifiedOrder[], serviceMs: number | undefined, source?: string): OrderHistory[] {
    const histories = this.#inTransaction(() => {
      this.#writePending()
      return orders.map((order) => this.#recordOne(order, serviceMs, source))
    })
    this.texts?.flush()
    return histories
  }

  conclude(order: IdentifiedOrder, { deliveryId }: Delivery): void {
    const identity = this.#identityOf(order)
    this.#later(() => this.#statements.become.run(deliveryId, ...identity))
  }

  forget(order: IdentifiedOrder): void {
    const identity = this.#identityOf(order)
    this.#later(() => this.#statements.remove.run(...identity))
    this.texts?.remove(identity[1], identity[2])
  }

  differences(order: IdentifiedOrder, delivery: Delivery): readonly FieldError[] | undefined {
    const reference = delivery.clientOrderReference ?? order.order.clientOrderReference ?? ''
    const begun = this.#current().ofDelivery.get(this.#accountId, reference, delivery.deliveryId)
    if (begun === undefined) return undefined
    if (begun.body_hash === shortHash(order.bodyHash)) return []
    const differences = differencesFrom(String(begun.sent), order.order, delivery)
    return differences.length > 0 ? differences : undefined
  }

  isOther({ idempotencyKey, order }: IdentifiedOrder, delivery: Delivery): boolean {
    const reference = delivery.clientOrderReference ?? order.clientOrderReference ?? ''
    const begun = this.#current().ofDelivery.all(this.#accountId, reference, delivery.deliveryId)
    return begun.length > 0 && begun.every(({ idempotency_key: key }) => key !== idempotencyKey)
  }

  sentParts({ clientOrderReference, deliveryId }: Delivery): Record<string, unknown> | undefined {
    const begun = this.#current().ofDelivery.get(this.#accountId, clientOrderReference ?? '', deliveryId)
    const kept = storedParts(begun?.sent)
    return kept === undefined ? undefined : copiedOf(kept)
  }

  hashedTexts({ clientOrderReference, deliveryId }: Delivery): string[] {
    const begun = this.#current().ofDelivery.get(this.#accountId, clientOrderReference ?? '', deliveryId)
    return hashedNames(storedParts(begun?.sent) ?? {})
  }

  deliveryOf(clientOrderReference: string): string | undefined {
    return textOf(this.#current().newestOf.get(this.#accountId, clientOrderReference)?.delivery_id)
  }

  hasNew(deliveryId: string, withinMs: number): boolean {
    const sinceMs = Math.round(this.nowMs() - withinMs)
    return this.#current().withId.get(this.#accountId, deliveryId, sinceMs) !== undefined
  }

  quoted(quotes: readonly Quote[]): void {
    for (const quote of quotes) this.#promised(quote)
    this.flush()
  }

  chosen(quote: Quote, clientOrderReference: string | null | undefined): void {
    const { quoteId } = quote
    if (quote.dropoffEta == null) return
    this.#promised(quote)
    if (typeof clientOrderReference === 'string') this.#changed({ clientOrderReference, quoteId })
  }

  noted(order: unknown): void {
    const clientOrderReference = textAt(order, 'clientOrderReference')
    if (clientOrderReference === undefined) return
    const sentAt = new Date(this.nowMs()).toISOString()
    this.#changed({ clientOrderReference, sent: { sentAt, ...shownOf(keptOf(order)) } })
    this.texts?.add(clientOrderReference, '', textsOf(order))
    this.texts?.flush()
  }

  moved(delivery: Pick<Delivery, 'clientOrderReference'>, patch: unknown): void {
    for (const line of movedLines(delivery, patch)) this.#changed(line)
    this.texts?.add(delivery.clientOrderReference ?? '', '', textsOf(patch))
    this.texts?.flush()
  }

  flush(): void {
    this.#current()
    this.texts?.flush()
  }

  factsOf(clientOrderReference: string | null | undefined): SentFacts | undefined {
    if (clientOrderReference == null) return undefined
    this.#current()
    const order = sentOrders(this.database, this.#accountId, clientOrderReference).get(clientOrderReference)
    return order && sentFactsOf(order)
  }

  read(): KnownOrders {
    this.#current()
    const orders = sentOrders(this.database, this.#accountId)
    return knownOrders(orders, (quoteId) => etaOf(this.database, this.#accountId, quoteId))
  }

  #promised({ quoteId, dropoffEta }: Quote): void {
    if (dropoffEta != null) this.#later(() => this.#statements.promise.run(this.#accountId, quoteId, dropoffEta))
  }

  #changed(line: SentLine): void {
    const atMs = Math.round(this.nowMs())
    this.#later(() =>
      this.#statements.change.run(this.#accountId, line.clientOrderReference, atMs, JSON.stringify(line)),
    )
  }

  close(): void {
    this.texts?.close()
    this.#current()
    this.database.close()
  }

  #recordOne(order: IdentifiedOrder, serviceMs: number | undefined, source: string | undefined): OrderHistory {
    const { insert, find } = this.#statements
    const identity = this.#identityOf(order)
    const nowMs = this.nowMs()
    const serviceAtMs = serviceMs === undefined ? null : Math.round(serviceMs)
    const sent = JSON.stringify(keptOf(order.order))
    const place = [source ?? null, order.line ?? null] as const
    if (insert.run(...identity, Math.round(nowMs), serviceAtMs, sent, ...place).changes === 1) {
      this.texts?.add(identity[1], identity[2], textsOf(order.order))
      return { wasSent: false }
    }
    const known = find.get(...identity)
    const ageMs = nowMs - Number(known?.recorded_at_ms)
    return {
      wasSent: true,
      sentAtMs: numberOf(known?.service_at_ms),
      deliveryId: textOf(known?.delivery_id),
      isKeyDoubtful: ageMs < 0 || ageMs >= keyLifeMs,
    }
  }

  #identityOf({ order, idempotencyKey, bodyHash }: IdentifiedOrder) {
    return [this.#accountId, order.clientOrderReference ?? '', idempotencyKey, shortHash(bodyHash)] as const
  }

  /** The statements, for what is read after all that is pending. */
  #current(): LedgerStatements {
    if (this.#pending.length > 0) this.#inTransaction(() => this.#writePending())
    return this.#statements
  }

  #later(write: () => void): void {
    this.#pending.push(write)
    if (this.#pending.length >= mostPending) this.#current()
    else this.#timer ??= setTimeout(() => this.#writeInTime(), longestPendingMs).unref()
  }

  /** Nobody waits for this write. If it fails, orders keep their keys, and the next call meets the same failure. */
  #writeInTime(): void {
    try {
      this.#current()
    } catch {
      this.#pending = []
    }
  }

  #writePending(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const write of this.#pending.splice(0)) write()
  }

  #inTransaction<Result>(work: () => Result): Result {
    const { database } = this
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function shortHash(bodyHash: string): string {
  return bodyHash.slice(0, 32)
}

function differencesFrom(sent: string, order: IdentifiedOrder['order'], delivery: Delivery): FieldError[] {
  const kept = storedParts(sent)
  // What is damaged tells nothing.
  if (kept === undefined) return orderDifferences(order, delivery)
  return orderDifferences({ ...order, ...comparedOf(keptOf(order)) }, delivery, comparedOf(kept))
}

/** The kept parts of an order; `undefined` for what is damaged. */
function storedParts(sent: unknown): Record<string, unknown> | undefined {
  const parts = typeof sent === 'string' ? tryParseJson(sent)?.value : undefined
  return isRecord(parts) ? parts : undefined
}

/** A ledger that, once its file fails, knows and keeps nothing, and says so the first time. */
function forgiving(open: () => SqliteLedger, onFailure: (failure: Error, keys: readonly string[]) => void): SentLedger {
  let failure: Error | undefined
  let ledger: SqliteLedger | undefined
  const onDisk = <Result>(work: (ledger: SqliteLedger) => Result, keys: readonly string[] = []): Result | undefined => {
    if (failure !== undefined) return undefined
    try {
      ledger ??= open()
      return work(ledger)
    } catch (error) {
      failure = diskError(error)
      return undefined
    } finally {
      if (failure !== undefined) onFailure(failure, keys)
    }
  }
  return {
    record(orders, serviceMs, source) {
      const keys = orders.map(({ idempotencyKey }) => idempotencyKey)
      return onDisk((file) => file.record(orders, serviceMs, source), keys) ?? orders.map(() => ({ wasSent: false }))
    },
    conclude: (order, delivery) => onDisk((file) => file.conclude(order, delivery)),
    forget: (order) => onDisk((file) => file.forget(order)),
    differences: (order, delivery) => onDisk((file) => file.differences(order, delivery)),
    isOther: (order, delivery) => onDisk((file) => file.isOther(order, delivery)) ?? false,
    sentParts: (delivery) => onDisk((file) => file.sentParts(delivery)),
    hashedTexts: (delivery) => onDisk((file) => file.hashedTexts(delivery)) ?? [],
    deliveryOf: (reference) => onDisk((file) => file.deliveryOf(reference)),
    hasNew: (deliveryId, withinMs) => onDisk((file) => file.hasNew(deliveryId, withinMs)) ?? false,
    quoted: (quotes) => onDisk((file) => file.quoted(quotes)),
    chosen: (quote, reference) => onDisk((file) => file.chosen(quote, reference)),
    noted: (order) => onDisk((file) => file.noted(order)),
    moved: (delivery, patch) => onDisk((file) => file.moved(delivery, patch)),
    flush: () => onDisk((file) => file.flush()),
    factsOf: (reference) => onDisk((file) => file.factsOf(reference)),
    read: () => onDisk((file) => file.read()) ?? noOrders,
    close: () => onDisk(() => ledger?.close()),
  }
}
