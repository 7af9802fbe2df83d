import { hash } from 'node:crypto'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type IdentifiedOrder, type OrderHistory, type OrderLedger, orderDifferences } from '../../client/index.js'
import { keyLifeMs } from '../../client/internal.js'
import type { Delivery, FieldError } from '../../contract/index.js'
import { makeFolder, makePrivateFile } from '../../shared/directory.js'
import { isRecord, textOf, tryParseJson } from '../../shared/json.js'
import { loadSqlite } from '../../shared/load-sqlite.js'

/** The place and the account of a ledger. */
export interface LedgerOptions {
  /** The database; it is created for its owner only. */
  file: string
  /** Tells accounts apart: the same order of two accounts is two deliveries. */
  account: string
  /** This machine's clock, for tests. */
  nowMs?: (() => number) | undefined
}

/** An order ledger in a file. */
export interface FileLedger extends OrderLedger {
  /**
   * The parts of a delivery's order that the service does not show, if the order was sent from here by itself. Text that
   * may name a person or a thing is not among them.
   */
  sentParts(delivery: Delivery): Readonly<Record<string, unknown>> | undefined
  /** The delivery that the newest order with a reference became. */
  deliveryOf(clientOrderReference: string): string | undefined
  /** Whether an order recorded within the last `withinMs` became this delivery. */
  hasNew(deliveryId: string, withinMs: number): boolean
  /** Writes what is pending. The ledger cannot be used after it. */
  close(): void
}

/**
 * Rows are ordered by reference, because the orders of a run have references beside each other: a group of them then
 * touches few pages. An order without a reference has an empty one.
 */
const schema = `
CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS orders (
  account INTEGER NOT NULL,
  reference TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  recorded_at_ms INTEGER NOT NULL,
  service_at_ms INTEGER,
  sent TEXT NOT NULL,
  delivery_id TEXT,
  PRIMARY KEY (account, reference, idempotency_key, body_hash)
) STRICT, WITHOUT ROWID`

const identified = 'account = ? AND reference = ? AND idempotency_key = ? AND body_hash = ?'

/** Deliveries and refusals that share one transaction, unless orders that are about to be sent come first. */
const mostPending = 512
const longestPendingMs = 100

/**
 * Opens the ledger of an account: each order's reference, key and body hash, recorded before it is sent, and the
 * delivery that it became. It holds no personal data. Several processes can use it at the same time.
 *
 * @throws the error of the file system or of SQLite if it cannot be opened
 */
export function openOrderLedger({ file, account, nowMs = Date.now }: LedgerOptions): FileLedger {
  const { DatabaseSync } = loadSqlite()
  makeFolder(dirname(file))
  makePrivateFile(file)
  const database = new DatabaseSync(file, { timeout: 5_000 })
  // A killed process loses nothing that it has written. After a power failure, a run has its results file.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(schema)
  return new SqliteLedger(database, account, nowMs)
}

class SqliteLedger implements FileLedger {
  readonly #accountId: number
  readonly #statements: ReturnType<typeof prepared>
  #pending: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly database: DatabaseSync,
    account: string,
    private readonly nowMs: () => number,
  ) {
    database.prepare('INSERT OR IGNORE INTO accounts (name) VALUES (?)').run(account)
    this.#accountId = Number(database.prepare('SELECT id FROM accounts WHERE name = ?').get(account)?.id)
    this.#statements = prepared(database)
  }

  recall(orders: readonly IdentifiedOrder[], serviceMs: number | undefined): OrderHistory[] {
    return this.#inTransaction(() => {
      this.#writePending()
      const textOf = orders.length === 1 ? detailsOf : hiddenHash
      return orders.map((order) => this.#recallOne(order, textOf(order.order), serviceMs))
    })
  }

  conclude(order: IdentifiedOrder, { deliveryId }: Delivery): void {
    const identity = this.#identityOf(order)
    this.#later(() => this.#statements.become.run(deliveryId, ...identity))
  }

  forget(order: IdentifiedOrder): void {
    const identity = this.#identityOf(order)
    this.#later(() => this.#statements.remove.run(...identity))
  }

  differences(order: IdentifiedOrder, delivery: Delivery): readonly FieldError[] | undefined {
    const reference = delivery.clientOrderReference ?? order.order.clientOrderReference ?? ''
    const begun = this.#current().ofDelivery.get(this.#accountId, reference, delivery.deliveryId)
    if (begun === undefined) return undefined
    if (begun.body_hash === shortHash(order.bodyHash)) return []
    const differences = differencesFrom(String(begun.sent), order.order, delivery)
    return differences.length > 0 ? differences : undefined
  }

  sentParts({ clientOrderReference, deliveryId }: Delivery): Record<string, unknown> | undefined {
    const begun = this.#current().ofDelivery.get(this.#accountId, clientOrderReference ?? '', deliveryId)
    const stored = storedParts(String(begun?.sent))
    if (stored === undefined) return undefined
    const { dropoffParts: _, ...parts } = stored
    return withoutHashes(parts) as Record<string, unknown>
  }

  deliveryOf(clientOrderReference: string): string | undefined {
    return textOf(this.#current().newestOf.get(this.#accountId, clientOrderReference)?.delivery_id)
  }

  hasNew(deliveryId: string, withinMs: number): boolean {
    const sinceMs = Math.round(this.nowMs() - withinMs)
    return this.#current().withId.get(this.#accountId, deliveryId, sinceMs) !== undefined
  }

  close(): void {
    this.#current()
    this.database.close()
  }

  #recallOne(order: IdentifiedOrder, sent: string, serviceMs: number | undefined): OrderHistory {
    const { insert, find } = this.#statements
    const identity = this.#identityOf(order)
    const nowMs = this.nowMs()
    const serviceAtMs = serviceMs === undefined ? null : Math.round(serviceMs)
    if (insert.run(...identity, Math.round(nowMs), serviceAtMs, sent).changes === 1) return { wasSent: false }
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
  #current(): ReturnType<typeof prepared> {
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

function prepared(database: DatabaseSync) {
  return {
    insert: database.prepare('INSERT OR IGNORE INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, NULL)'),
    find: database.prepare(`SELECT * FROM orders WHERE ${identified}`),
    become: database.prepare(`UPDATE orders SET delivery_id = ? WHERE ${identified}`),
    remove: database.prepare(`DELETE FROM orders WHERE ${identified}`),
    ofDelivery: database.prepare('SELECT * FROM orders WHERE account = ? AND reference = ? AND delivery_id = ?'),
    newestOf: database.prepare(
      'SELECT delivery_id FROM orders WHERE account = ? AND reference = ? AND delivery_id IS NOT NULL ORDER BY recorded_at_ms DESC',
    ),
    withId: database.prepare(
      'SELECT 1 FROM orders WHERE account = ? AND delivery_id = ? AND recorded_at_ms >= ? LIMIT 1',
    ),
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function shortHash(bodyHash: string): string {
  return bodyHash.slice(0, 32)
}

type Order = IdentifiedOrder['order']

/** The stored form of a single order: enough to tell how another one differs. */
function detailsOf(order: Order): string {
  return JSON.stringify(keptFields(order))
}

/** The stored form of an order of a run, where details would be too slow: enough to tell that another one differs. */
function hiddenHash({
  timeWindows,
  package: cargo,
  verification,
  handling,
  dispatch,
  metadata,
  dropoff,
}: Order): string {
  const { instructions, installation, unit } = dropoff
  const parts = [instructions, installation, unit]
  const hidden = JSON.stringify([timeWindows, cargo, verification, handling, dispatch, metadata, ...parts])
  return hash('sha256', hidden, 'base64url').slice(0, 16)
}

function differencesFrom(sent: string, order: Order, delivery: Delivery): FieldError[] {
  const parts = storedParts(sent)
  if (parts !== undefined) return orderDifferences({ ...order, ...keptFields(order) }, delivery, parts)
  const shown = orderDifferences(order, delivery)
  // What is damaged tells nothing.
  if (shown.length > 0 || sent.startsWith('{') || sent === hiddenHash(order)) return shown
  const message =
    'window, package, verification, handling, dispatch, metadata, instructions, installation or unit are not those that were sent'
  return [{ field: 'order', code: 'DIFFERS', message }]
}

/** The details of a single order; `undefined` for the hash of one of a run, and for what is damaged. */
function storedParts(sent: string): Record<string, unknown> | undefined {
  const parts = sent.startsWith('{') ? tryParseJson(sent)?.value : undefined
  return isRecord(parts) ? parts : undefined
}

/** The parts that a delivery does not show; text that may name a person or a thing is stored only as a hash. */
function keptFields(order: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(order)) return {}
  const { timeWindows, package: cargo, verification, handling, dispatch, tipAmountCents, metadata } = order
  const kept = {
    // The service may not give them back.
    dropoffParts: isRecord(order.dropoff) ? hashedParts(order.dropoff) : undefined,
    timeWindows,
    package: isRecord(cargo) ? hashed(cargo, ['description', 'items']) : cargo,
    verification,
    handling,
    dispatch,
    tipAmountCents,
    metadata: isRecord(metadata) ? hashed(metadata, Object.keys(metadata)) : metadata,
  }
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined))
}

function hashedParts({ instructions, installation, unit }: Readonly<Record<string, unknown>>) {
  const parts = { instructions, installation, unit }
  return Object.fromEntries(
    Object.entries(hashed(parts, Object.keys(parts))).filter(([, value]) => value !== undefined),
  )
}

/** The value without texts that are stored only as a hash. */
function withoutHashes(value: unknown): unknown {
  if (!isRecord(value)) return value
  const known = Object.entries(value).filter(([, member]) => !(typeof member === 'string' && hashText.test(member)))
  return Object.fromEntries(known.map(([name, member]) => [name, withoutHashes(member)]))
}

const hashText = /^sha256 [0-9a-f]{12}$/

function hashed(block: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const digests = names
    .filter((name) => block[name] !== undefined)
    .map((name) => [name, `sha256 ${hash('sha256', JSON.stringify(block[name]), 'hex').slice(0, 12)}`])
  return { ...block, ...Object.fromEntries(digests) }
}
