import { terminalStatuses } from '../../contract/index.js'
import type { DeliveryRow } from '../model.js'
import type { Columns, Database } from './database.js'

/** A delivery as it appears in a list. */
export interface DeliverySummary {
  deliveryId: string
  clientOrderReference: string
  /** The status shown, which may be one of a newer contract. */
  status: string
  createdAtMs: number
  updatedAtMs: number
}

/** A place in a list that is sorted by time, then by identifier. */
export interface Place {
  atMs: number
  id: string
}

interface DeliveryFilter {
  accountId: string
  fromMs: number
  /** Exclusive. */
  toMs: number
  status?: string | undefined
  /** The last row of the page before. */
  after?: Place | undefined
  limit: number
}

const summaryColumns = `delivery_id, client_order_reference, COALESCE(shown_status, status) AS status, created_at_ms,
  updated_at_ms`

/** Deliveries by id, by reference, by age and by due time. */
export class DeliveryTable {
  constructor(private readonly database: Database) {}

  get(deliveryId: string): DeliveryRow | undefined {
    return this.one('SELECT record FROM deliveries WHERE delivery_id = ?', deliveryId)
  }

  /** The newest delivery of the account with this reference. */
  byReference(accountId: string, clientOrderReference: string): DeliveryRow | undefined {
    const sql = `SELECT record FROM deliveries WHERE account_id = ? AND client_order_reference = ?
      ORDER BY created_at_ms DESC, rowid DESC LIMIT 1`
    return this.one(sql, accountId, clientOrderReference)
  }

  save(delivery: DeliveryRow): void {
    const isOpen = terminalStatuses.has(delivery.status) ? 0 : 1
    const sql = `INSERT INTO deliveries (delivery_id, account_id, client_order_reference, status, shown_status, created_at_ms,
        updated_at_ms, due_at_ms, installation_code, driver_id, is_open, record)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (delivery_id) DO UPDATE SET status = excluded.status,
        shown_status = excluded.shown_status, updated_at_ms = excluded.updated_at_ms,
        due_at_ms = excluded.due_at_ms, installation_code = excluded.installation_code,
        driver_id = excluded.driver_id, is_open = excluded.is_open, record = excluded.record`
    this.database.run(
      sql,
      delivery.deliveryId,
      delivery.accountId,
      delivery.clientOrderReference,
      delivery.status,
      delivery.shownStatus ?? null,
      delivery.createdAtMs,
      delivery.updatedAtMs,
      delivery.nextDueAtMs ?? null,
      delivery.order.dropoff.installation?.code ?? null,
      delivery.driverId ?? null,
      isOpen,
      JSON.stringify(delivery),
    )
  }

  /** Newest first. */
  list(filter: DeliveryFilter): DeliverySummary[] {
    const { accountId, fromMs, toMs, status, after, limit } = filter
    const byStatus = status === undefined ? '' : 'AND deliveries.status = ?'
    // Given both bounds, SQLite searches by the wider one and walks over every row of the pages before.
    const isLater = after !== undefined && after.atMs < toMs
    const before = isLater ? '(created_at_ms, delivery_id) < (?, ?)' : 'created_at_ms < ?'
    // Left to itself, SQLite goes through all of an account's deliveries for the few in a rare status.
    const index = status === undefined ? 'deliveries_by_age' : 'deliveries_by_status'
    const sql = `SELECT ${summaryColumns} FROM deliveries INDEXED BY ${index}
      WHERE account_id = ? ${byStatus} AND created_at_ms >= ? AND ${before}
      ORDER BY created_at_ms DESC, delivery_id DESC LIMIT ?`
    const place = isLater ? [after.atMs, after.id] : [toMs]
    const chosen = status === undefined ? [] : [status]
    return this.database.all(sql, accountId, ...chosen, fromMs, ...place, limit).map(summary)
  }

  /** Deliveries of any account that are under way to the installation. */
  openAt(installationCode: string): DeliveryRow[] {
    const sql =
      'SELECT record FROM deliveries WHERE is_open = 1 AND installation_code = ? ORDER BY created_at_ms, rowid'
    return this.database.all(sql, installationCode).map((columns) => this.rowOf(columns))
  }

  /** Whether the account has ever had a delivery to the installation. */
  hasDeliveredTo(accountId: string, installationCode: string): boolean {
    const sql = 'SELECT 1 AS found FROM deliveries WHERE installation_code = ? AND account_id = ? LIMIT 1'
    return this.database.get(sql, installationCode, accountId) !== undefined
  }

  /** Drivers of the account's deliveries under way, found by leaping from one driver to the next in the index. */
  activeDriverIds(accountId: string): Set<string> {
    const sql = `SELECT MIN(driver_id) AS driver_id FROM deliveries
      WHERE is_open = 1 AND driver_id IS NOT NULL AND account_id = ? AND driver_id > ?`
    const found = new Set<string>()
    let last = ''
    while (true) {
      const next = this.database.get(sql, accountId, last)?.driver_id
      if (typeof next !== 'string') return found
      found.add(next)
      last = next
    }
  }

  /** The delivery with the earliest due step, if that is due at `nowMs`. */
  firstDue(nowMs: number): DeliveryRow | undefined {
    const sql = `SELECT record FROM deliveries WHERE due_at_ms IS NOT NULL AND due_at_ms <= ?
      ORDER BY due_at_ms, delivery_id LIMIT 1`
    return this.one(sql, nowMs)
  }

  /** The deliveries with a step due next, soonest first. */
  upcoming(limit: number, account?: string): DeliveryRow[] {
    const sql = `SELECT record FROM deliveries WHERE due_at_ms IS NOT NULL
      ${account === undefined ? '' : 'AND account_id = ?'} ORDER BY due_at_ms, delivery_id LIMIT ?`
    return this.database
      .all(sql, ...(account === undefined ? [] : [account]), limit)
      .map((columns) => this.rowOf(columns))
  }

  nextDueAtMs(): number | undefined {
    const sql = 'SELECT MIN(due_at_ms) AS due_at_ms FROM deliveries WHERE due_at_ms IS NOT NULL'
    const due = this.database.get(sql)?.due_at_ms
    return typeof due === 'number' ? due : undefined
  }

  count(): number {
    return Number(this.database.get('SELECT COUNT(*) AS n FROM deliveries')?.n)
  }

  private rowOf(columns: Columns): DeliveryRow {
    return this.database.json<DeliveryRow>(columns.record)
  }

  private one(sql: string, ...parameters: (string | number)[]): DeliveryRow | undefined {
    const columns = this.database.get(sql, ...parameters)
    return columns === undefined ? undefined : this.rowOf(columns)
  }
}

function summary(columns: Columns): DeliverySummary {
  return {
    deliveryId: String(columns.delivery_id),
    clientOrderReference: String(columns.client_order_reference),
    status: String(columns.status),
    createdAtMs: Number(columns.created_at_ms),
    updatedAtMs: Number(columns.updated_at_ms),
  }
}
