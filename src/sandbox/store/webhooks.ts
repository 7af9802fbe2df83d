import type { Columns, Database } from './database.js'

export const endpointKinds = ['all', 'deliveries', 'drivers'] as const
export type EndpointKind = (typeof endpointKinds)[number]

/** A registered receiver of an account's events. Without secrets of its own, the account's sign what it is sent. */
export interface Endpoint {
  endpointId: string
  accountId: string
  url: string
  kind: EndpointKind
  secrets: string[] | undefined
  disabled: boolean
  consecutiveFailures: number
  createdAtMs: number
}

/** One event on its way to one receiver. */
export interface Webhook {
  webhookId: number
  eventSeq: number
  endpointId: string
  /** Webhooks of one lane to one receiver go out one after the other. */
  lane: string
  /** Attempts made so far. */
  attempts: number
  dueAtMs: number
}

/** A webhook that is still to be sent, with what it is about. */
export interface UpcomingWebhook extends Pick<Webhook, 'endpointId' | 'attempts' | 'dueAtMs'> {
  eventId: string
  eventType: string
  deliveryId: string | null
}

export type AttemptOutcome = 'delivered' | 'retrying' | 'failed'

export interface WebhookAttempt {
  eventId: string
  endpointId: string
  attempt: number
  scheduledAtMs: number
  sentAtMs: number
  statusCode: number | undefined
  error: string | undefined
  durationMs: number
  outcome: AttemptOutcome
}

/** Receivers: few, looked at for every event, so they are kept in memory until somebody writes. */
export class EndpointTable {
  private known: Endpoint[] | undefined

  constructor(private readonly database: Database) {}

  refresh(): void {
    this.known = undefined
  }

  list(): readonly Endpoint[] {
    this.known ??= this.database.all('SELECT * FROM endpoints ORDER BY created_at_ms, rowid').map((columns) => ({
      ...endpoint(columns),
      secrets: typeof columns.secrets === 'string' ? this.database.json<string[]>(columns.secrets) : undefined,
    }))
    return this.known
  }

  get(endpointId: string): Endpoint | undefined {
    return this.list().find((candidate) => candidate.endpointId === endpointId)
  }

  save(row: Endpoint): void {
    const sql = `INSERT INTO endpoints
      (endpoint_id, account_id, url, kind, secrets, disabled, consecutive_failures, created_at_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (endpoint_id) DO UPDATE SET url = excluded.url, kind = excluded.kind, secrets = excluded.secrets,
        disabled = excluded.disabled, consecutive_failures = excluded.consecutive_failures`
    const secrets = row.secrets === undefined ? null : JSON.stringify(row.secrets)
    const { endpointId, accountId, url, kind, consecutiveFailures, createdAtMs } = row
    const disabled = row.disabled ? 1 : 0
    this.database.run(sql, endpointId, accountId, url, kind, secrets, disabled, consecutiveFailures, createdAtMs)
    this.known = undefined
  }

  /** Removes a receiver; the log of attempts stays. */
  remove(endpointId: string): boolean {
    this.known = undefined
    return this.database.run('DELETE FROM endpoints WHERE endpoint_id = ?', endpointId).changes > 0
  }
}

/** The outbox: what to send, when, and the results. */
export class WebhookTable {
  constructor(private readonly database: Database) {}

  /** `position` orders the webhooks that fall due at the same moment. */
  enqueue(webhook: Omit<Webhook, 'webhookId' | 'attempts'>, position: number): void {
    const sql = 'INSERT INTO webhooks (event_seq, endpoint_id, lane, position, due_at_ms) VALUES (?, ?, ?, ?, ?)'
    this.database.run(sql, webhook.eventSeq, webhook.endpointId, webhook.lane, position, webhook.dueAtMs)
  }

  /** A webhook that is not to be sent by itself, for an attempt outside the schedule. */
  enqueueSettled(eventSeq: number, endpointId: string): number {
    const sql = "INSERT INTO webhooks (event_seq, endpoint_id, lane, position, outcome) VALUES (?, ?, '', 0, 'failed')"
    return this.database.run(sql, eventSeq, endpointId).lastInsertRowid
  }

  due(nowMs: number, limit: number): Webhook[] {
    const sql = `SELECT * FROM webhooks WHERE due_at_ms IS NOT NULL AND due_at_ms <= ?
      ORDER BY due_at_ms, position, webhook_id LIMIT ?`
    return this.database.all(sql, nowMs, limit).map(webhook)
  }

  nextDueAtMs(): number | undefined {
    const due = this.database.get('SELECT MIN(due_at_ms) AS due FROM webhooks WHERE due_at_ms IS NOT NULL')?.due
    return typeof due === 'number' ? due : undefined
  }

  /** The next webhooks to be sent, soonest first, each with its event. */
  upcoming(limit: number): UpcomingWebhook[] {
    const sql = `SELECT webhooks.*, events.event_id, events.event_type, events.delivery_id FROM webhooks
      JOIN events ON events.seq = webhooks.event_seq WHERE due_at_ms IS NOT NULL
      ORDER BY due_at_ms, position, webhook_id LIMIT ?`
    return this.database.all(sql, limit).map((columns) => {
      const { endpointId, attempts, dueAtMs } = webhook(columns)
      const { event_id, event_type, delivery_id } = columns
      return {
        eventId: String(event_id),
        eventType: String(event_type),
        deliveryId: typeof delivery_id === 'string' ? delivery_id : null,
        endpointId,
        attempts,
        dueAtMs,
      }
    })
  }

  /** The webhooks of one event that are still to be sent. */
  pendingOf(eventSeq: number): Webhook[] {
    const sql = 'SELECT * FROM webhooks WHERE event_seq = ? AND due_at_ms IS NOT NULL ORDER BY due_at_ms'
    return this.database.all(sql, eventSeq).map(webhook)
  }

  retry(webhookId: number, attempts: number, dueAtMs: number): void {
    this.database.run(
      'UPDATE webhooks SET attempts = ?, due_at_ms = ? WHERE webhook_id = ?',
      attempts,
      dueAtMs,
      webhookId,
    )
  }

  settle(webhookId: number, attempts: number, outcome: 'delivered' | 'failed'): void {
    const sql = 'UPDATE webhooks SET attempts = ?, due_at_ms = NULL, outcome = ? WHERE webhook_id = ?'
    this.database.run(sql, attempts, outcome, webhookId)
  }

  /** Gives up what is still to be sent to a receiver. Answers with the events that it was for. */
  abandon(endpointId: string): number[] {
    const pending = 'FROM webhooks WHERE endpoint_id = ? AND due_at_ms IS NOT NULL'
    const events = this.database.all(`SELECT event_seq ${pending}`, endpointId).map((row) => Number(row.event_seq))
    this.database.run(`DELETE ${pending} AND attempts = 0`, endpointId)
    const sql = `UPDATE webhooks SET due_at_ms = NULL, outcome = 'failed' WHERE endpoint_id = ? AND due_at_ms IS NOT NULL`
    this.database.run(sql, endpointId)
    return events
  }

  /** Whether the webhook is still there and still this event's: after a reset its number belongs to another one. */
  isOf(webhookId: number, eventId: string, endpointId: string): boolean {
    const sql = `SELECT 1 AS found FROM webhooks JOIN events ON events.seq = webhooks.event_seq
      WHERE webhook_id = ? AND event_id = ? AND endpoint_id = ?`
    return this.database.get(sql, webhookId, eventId, endpointId) !== undefined
  }

  /** The webhooks of one event, whatever became of them. */
  ofEvent(eventSeq: number): { endpointId: string; webhookId: number; attempts: number; outcome: string | null }[] {
    const sql =
      'SELECT endpoint_id, webhook_id, attempts, outcome FROM webhooks WHERE event_seq = ? ORDER BY webhook_id'
    return this.database.all(sql, eventSeq).map((columns) => ({
      endpointId: String(columns.endpoint_id),
      webhookId: Number(columns.webhook_id),
      attempts: Number(columns.attempts),
      outcome: typeof columns.outcome === 'string' ? columns.outcome : null,
    }))
  }

  record(attempt: WebhookAttempt): void {
    const sql = `INSERT INTO attempts (event_id, endpoint_id, attempt, scheduled_at_ms, sent_at_ms, status_code, error,
      duration_ms, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
    this.database.run(
      sql,
      attempt.eventId,
      attempt.endpointId,
      attempt.attempt,
      attempt.scheduledAtMs,
      attempt.sentAtMs,
      attempt.statusCode ?? null,
      attempt.error ?? null,
      attempt.durationMs,
      attempt.outcome,
    )
  }

  /** Attempts, newest last: of one event, or the last `limit` of all. */
  attempts(eventId: string | undefined, limit: number): WebhookAttempt[] {
    const rows =
      eventId === undefined
        ? this.database.all('SELECT * FROM attempts ORDER BY attempt_id DESC LIMIT ?', limit)
        : this.database.all(
            'SELECT * FROM attempts WHERE event_id = ? ORDER BY attempt_id DESC LIMIT ?',
            eventId,
            limit,
          )
    return rows.reverse().map(attempt)
  }

  /** Attempts in order with what they were about: the first ones after a place, or the newest ones. */
  recorded(after: number | undefined, limit: number): RecordedAttempt[] {
    const columns = 'attempts.*, events.event_type, events.delivery_id'
    const joined = `SELECT ${columns} FROM attempts LEFT JOIN events ON events.event_id = attempts.event_id`
    const rows =
      after === undefined
        ? this.database.all(`${joined} ORDER BY attempt_id DESC LIMIT ?`, limit).reverse()
        : this.database.all(`${joined} WHERE attempt_id > ? ORDER BY attempt_id LIMIT ?`, after, limit)
    return rows.map((row) => ({
      ...attempt(row),
      attemptId: Number(row.attempt_id),
      eventType: typeof row.event_type === 'string' ? row.event_type : null,
      deliveryId: typeof row.delivery_id === 'string' ? row.delivery_id : null,
    }))
  }

  /** The place of the newest attempt; 0 without one. */
  lastAttemptId(): number {
    return Number(this.database.get('SELECT MAX(attempt_id) AS id FROM attempts')?.id ?? 0)
  }
}

/** An attempt with its place in the order of attempts, and the event that it sent. */
export interface RecordedAttempt extends WebhookAttempt {
  attemptId: number
  eventType: string | null
  deliveryId: string | null
}

function endpoint(columns: Columns): Omit<Endpoint, 'secrets'> {
  return {
    endpointId: String(columns.endpoint_id),
    accountId: String(columns.account_id),
    url: String(columns.url),
    kind: String(columns.kind) as EndpointKind,
    disabled: columns.disabled === 1,
    consecutiveFailures: Number(columns.consecutive_failures),
    createdAtMs: Number(columns.created_at_ms),
  }
}

function webhook(columns: Columns): Webhook {
  return {
    webhookId: Number(columns.webhook_id),
    eventSeq: Number(columns.event_seq),
    endpointId: String(columns.endpoint_id),
    lane: String(columns.lane),
    attempts: Number(columns.attempts),
    dueAtMs: Number(columns.due_at_ms),
  }
}

function attempt(columns: Columns): WebhookAttempt {
  const { status_code, error } = columns
  return {
    eventId: String(columns.event_id),
    endpointId: String(columns.endpoint_id),
    attempt: Number(columns.attempt),
    scheduledAtMs: Number(columns.scheduled_at_ms),
    sentAtMs: Number(columns.sent_at_ms),
    statusCode: typeof status_code === 'number' ? status_code : undefined,
    error: typeof error === 'string' ? error : undefined,
    durationMs: Number(columns.duration_ms),
    outcome: String(columns.outcome) as AttemptOutcome,
  }
}
