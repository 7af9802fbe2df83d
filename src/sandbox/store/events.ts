import type { EventDraft } from '../model.js'
import type { Columns, Database } from './database.js'

export type DeliveryOutcome = 'pending' | 'delivered' | 'failed' | 'no_endpoint_configured'

/** A recorded event with the state of its webhooks. `body` is the exact text that is sent. */
export interface RecordedEvent {
  seq: number
  eventId: string
  eventType: string
  occurredAtMs: number
  accountId: string
  livemode: boolean
  deliveryId: string | null
  body: string
  hooks: string[]
  attempts: number
  lastAttemptAtMs: number | undefined
  outcome: DeliveryOutcome
}

/** An event that was sent, with the order that it is about. */
export interface SentEvent {
  eventId: string
  eventType: string
  occurredAtMs: number
  deliveryId: string | null
  clientOrderReference: string | null
  lastDeliveryStatus: DeliveryOutcome
  deliveryAttempts: number
  lastAttemptAtMs: number | null
}

interface EventFilter {
  accountId: string
  sinceMs: number
  /** Exclusive. */
  untilMs: number
  delivered?: boolean | undefined
  deliveryId?: string | undefined
  eventTypes?: readonly string[] | undefined
  /** The last event of the page before. */
  after?: { atMs: number; seq: number } | undefined
  limit: number
}

/** Above this many types, one scan by time is cheaper than a search for each. */
const MAX_TYPES_SEARCHED_APART = 30

/** Everything that happened, oldest first. */
export class EventTable {
  constructor(private readonly database: Database) {}

  /** Records an event and answers with its place in the order of recording. */
  append(draft: EventDraft, body: string, outcome: DeliveryOutcome): number {
    const sql = `INSERT INTO events (event_id, event_type, occurred_at_ms, account_id, livemode, delivery_id, body,
      hooks, delivery_status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
    const hooks = draft.hooks.length === 0 ? null : draft.hooks.join(',')
    const { eventId, eventType, occurredAtMs, accountId, deliveryId } = draft
    const livemode = draft.livemode ? 1 : 0
    return this.database.run(
      sql,
      eventId,
      eventType,
      occurredAtMs,
      accountId,
      livemode,
      deliveryId,
      body,
      hooks,
      outcome,
    ).lastInsertRowid
  }

  get(eventId: string): RecordedEvent | undefined {
    const columns = this.database.get('SELECT * FROM events WHERE event_id = ?', eventId)
    return columns === undefined ? undefined : this.read(columns)
  }

  bySeq(seq: number): RecordedEvent | undefined {
    const columns = this.database.get('SELECT * FROM events WHERE seq = ?', seq)
    return columns === undefined ? undefined : this.read(columns)
  }

  /**
   * An account's events in the order of recording: the first ones after a place, or the newest ones. By an index of the
   * account, SQLite would read and sort all of them.
   */
  recorded(accountId: string, after: number | undefined, limit: number): RecordedEvent[] {
    const rows =
      after === undefined
        ? this.database
            .all('SELECT * FROM events NOT INDEXED WHERE account_id = ? ORDER BY seq DESC LIMIT ?', accountId, limit)
            .reverse()
        : this.database.all(
            'SELECT * FROM events NOT INDEXED WHERE seq > ? AND account_id = ? ORDER BY seq LIMIT ?',
            after,
            accountId,
            limit,
          )
    return rows.map((columns) => this.read(columns))
  }

  private read(columns: Columns): RecordedEvent {
    // Lists hold the text as it is: damaged text would make a response that nobody can read.
    this.database.json(columns.body)
    return recorded(columns)
  }

  /** The place of the newest event; 0 without one. */
  lastSeq(): number {
    return Number(this.database.get('SELECT MAX(seq) AS seq FROM events')?.seq ?? 0)
  }

  list(filter: EventFilter): RecordedEvent[] {
    const types = [...new Set(filter.eventTypes)]
    if (types.length > 0 && types.length <= MAX_TYPES_SEARCHED_APART && filter.deliveryId === undefined) {
      if (types.length === 1) return this.page(filter, 'event_type = ?', types).map((columns) => this.read(columns))
      // Most of what is found of each type lies behind the page: what it holds is read only for the rest.
      const places = types
        .flatMap((type) => this.page(filter, 'event_type = ?', [type], 'occurred_at_ms, seq'))
        .map(({ occurred_at_ms, seq }) => ({ atMs: Number(occurred_at_ms), seq: Number(seq) }))
        .sort((a, b) => a.atMs - b.atMs || a.seq - b.seq)
      return places.slice(0, filter.limit).flatMap(({ seq }) => this.bySeq(seq) ?? [])
    }
    const rows =
      types.length === 0
        ? this.page(filter, '1', [])
        : this.page(filter, 'event_type IN (SELECT value FROM json_each(?))', [JSON.stringify(types)])
    return rows.map((columns) => this.read(columns))
  }

  private page(filter: EventFilter, condition: string, values: string[], what = '*'): Columns[] {
    const { accountId, sinceMs, untilMs, delivered, deliveryId, after, limit } = filter
    // Given two bounds on one side, SQLite searches by the wider one and walks over every event of the pages before.
    const isLater = after !== undefined && after.atMs >= sinceMs
    const from = isLater ? '(occurred_at_ms, seq) > (?, ?)' : 'occurred_at_ms >= ?'
    const place = isLater ? [after.atMs, after.seq] : [sinceMs]
    const conditions = ['account_id = ?', condition, from, 'occurred_at_ms < ?']
    const parameters: (string | number)[] = [accountId, ...values, ...place, untilMs]
    if (delivered !== undefined) {
      conditions.push('is_delivered = ?')
      parameters.push(delivered ? 1 : 0)
    }
    if (deliveryId !== undefined) {
      conditions.push('delivery_id = ?')
      parameters.push(deliveryId)
    }
    const index =
      deliveryId !== undefined
        ? 'events_by_delivery'
        : values.length > 0 && condition.startsWith('event_type = ')
          ? 'events_by_type'
          : delivered !== undefined
            ? 'events_by_outcome'
            : 'events_by_time'
    const sql = `SELECT ${what} FROM events INDEXED BY ${index} WHERE ${conditions.join(' AND ')}
      ORDER BY occurred_at_ms, seq LIMIT ?`
    return this.database.all(sql, ...parameters, limit)
  }

  /**
   * The events whose webhook was sent at least once, newest first, without their bodies: at most `limit`, the ones that
   * were sent last. They are found by their attempts, since a seeded sandbox has many events that were never sent.
   */
  sent(accountId: string, limit: number): SentEvent[] {
    const sql = `SELECT attempt_id, events.event_id, events.seq, events.event_type, events.occurred_at_ms,
        events.delivery_id, events.delivery_status, events.attempts, events.last_attempt_at_ms,
        deliveries.client_order_reference
      FROM attempts CROSS JOIN events ON events.event_id = attempts.event_id
        LEFT JOIN deliveries ON deliveries.delivery_id = events.delivery_id
      WHERE attempt_id < ? AND events.account_id = ? ORDER BY attempt_id DESC LIMIT ?`
    const found = new Map<unknown, Columns>()
    for (let before = Number.MAX_SAFE_INTEGER; found.size < limit; ) {
      const rows = this.database.all(sql, before, accountId, limit)
      for (const columns of rows) if (found.size < limit) found.set(columns.event_id, columns)
      if (rows.length < limit) break
      before = Number(rows.at(-1)?.attempt_id)
    }
    const newestFirst = (one: Columns, other: Columns) =>
      Number(other.occurred_at_ms) - Number(one.occurred_at_ms) || Number(other.seq) - Number(one.seq)
    const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
    return [...found.values()].sort(newestFirst).map((columns) => ({
      eventId: String(columns.event_id),
      eventType: String(columns.event_type),
      occurredAtMs: Number(columns.occurred_at_ms),
      deliveryId: textOrNull(columns.delivery_id),
      clientOrderReference: textOrNull(columns.client_order_reference),
      lastDeliveryStatus: String(columns.delivery_status) as DeliveryOutcome,
      deliveryAttempts: Number(columns.attempts),
      lastAttemptAtMs: typeof columns.last_attempt_at_ms === 'number' ? columns.last_attempt_at_ms : null,
    }))
  }

  /** Stores the state of an event's webhooks: `attempts` counts all of its receivers'. */
  saveOutcome(seq: number, outcome: DeliveryOutcome, attempts: number, lastAttemptAtMs: number | undefined): void {
    const sql = `UPDATE events SET delivery_status = ?, is_delivered = ?, attempts = ?,
      last_attempt_at_ms = COALESCE(?, last_attempt_at_ms) WHERE seq = ?`
    this.database.run(sql, outcome, outcome === 'delivered' ? 1 : 0, attempts, lastAttemptAtMs ?? null, seq)
  }

  /** Forgets at most `limit` events that are older than the given time, with all that hangs on them. */
  prune(occurredBeforeMs: number, limit: number): number {
    let forgotten = 0
    for (const accountId of this.accountIds()) {
      if (forgotten < limit) forgotten += this.pruneOf(accountId, occurredBeforeMs, limit - forgotten)
    }
    return forgotten
  }

  private pruneOf(accountId: string, occurredBeforeMs: number, limit: number): number {
    // What is still to be sent is kept until it was: virtual time may pass months while a receiver takes a second.
    const old = `(SELECT seq FROM events INDEXED BY events_by_time WHERE account_id = ? AND occurred_at_ms < ?
      AND NOT EXISTS (SELECT 1 FROM webhooks WHERE event_seq = events.seq AND due_at_ms IS NOT NULL)
      ORDER BY occurred_at_ms, seq LIMIT ?)`
    const remove = (from: string) =>
      this.database.run(`DELETE FROM ${from} IN ${old}`, accountId, occurredBeforeMs, limit).changes
    remove('webhooks WHERE event_seq')
    this.database.run(
      `DELETE FROM attempts WHERE event_id IN (SELECT event_id FROM events WHERE seq IN ${old})`,
      accountId,
      occurredBeforeMs,
      limit,
    )
    return remove('events WHERE seq')
  }

  /** Accounts that have events, found by leaping from one account to the next in the index. */
  private accountIds(): string[] {
    const sql = 'SELECT MIN(account_id) AS account_id FROM events INDEXED BY events_by_time WHERE account_id > ?'
    const found: string[] = []
    while (true) {
      const next = this.database.get(sql, found.at(-1) ?? '')?.account_id
      if (typeof next !== 'string') return found
      found.push(next)
    }
  }

  count(): number {
    return Number(this.database.get('SELECT COUNT(*) AS n FROM events')?.n)
  }
}

function recorded(columns: Columns): RecordedEvent {
  const hooks = columns.hooks
  const lastAttempt = columns.last_attempt_at_ms
  return {
    seq: Number(columns.seq),
    eventId: String(columns.event_id),
    eventType: String(columns.event_type),
    occurredAtMs: Number(columns.occurred_at_ms),
    accountId: String(columns.account_id),
    livemode: columns.livemode === 1,
    deliveryId: typeof columns.delivery_id === 'string' ? columns.delivery_id : null,
    body: String(columns.body),
    hooks: typeof hooks === 'string' ? hooks.split(',') : [],
    attempts: Number(columns.attempts),
    lastAttemptAtMs: typeof lastAttempt === 'number' ? lastAttempt : undefined,
    outcome: String(columns.delivery_status) as DeliveryOutcome,
  }
}
