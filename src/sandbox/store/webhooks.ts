import type { Columns, Database } from './database.js'

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
interface UpcomingWebhook extends Pick<Webhook, 'endpointId' | 'attempts' | 'dueAtMs'> {
  eventId: string
  eventType: string
  deliveryId: string | null
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
  upcoming(limit: number, account?: string): UpcomingWebhook[] {
    const sql = `SELECT webhooks.*, events.event_id, events.event_type, events.delivery_id FROM webhooks
      JOIN events ON events.seq = webhooks.event_seq WHERE due_at_ms IS NOT NULL
      ${account === undefined ? '' : 'AND events.account_id = ?'} ORDER BY due_at_ms, position, webhook_id LIMIT ?`
    return this.database.all(sql, ...(account === undefined ? [] : [account]), limit).map((columns) => {
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

  /** Number of webhooks that are still to be sent. */
  pendingCount(): number {
    return Number(this.database.get('SELECT COUNT(*) AS count FROM webhooks WHERE due_at_ms IS NOT NULL')?.count ?? 0)
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
