import type { Columns, Database } from './database.js'

type AttemptOutcome = 'delivered' | 'retrying' | 'failed'

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

/** An attempt with its place in the order of attempts, and the event that it sent. */
interface RecordedAttempt extends WebhookAttempt {
  attemptId: number
  eventType: string | null
  deliveryId: string | null
}

/** The log of attempts at sending webhooks. */
export class AttemptTable {
  constructor(private readonly database: Database) {}

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

  /** Newest last: of one event, or the last `limit` of all. */
  list(eventId: string | undefined, limit: number): WebhookAttempt[] {
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

  /** In order, with what they were about: the first ones after a place, or the newest ones; of all, or of one account. */
  recorded(after: number | undefined, limit: number, account?: string): RecordedAttempt[] {
    const columns = 'attempts.*, events.event_type, events.delivery_id'
    const join = account === undefined ? 'LEFT JOIN' : 'CROSS JOIN'
    const joined = `SELECT ${columns} FROM attempts ${join} events ON events.event_id = attempts.event_id`
    const [own, values] = account === undefined ? ['', []] : ['AND events.account_id = ?', [account]]
    const rows =
      after === undefined
        ? this.database.all(`${joined} ${own} ORDER BY attempt_id DESC LIMIT ?`, ...values, limit).reverse()
        : this.database.all(
            `${joined} ${own} WHERE attempt_id > ? ORDER BY attempt_id LIMIT ?`,
            ...values,
            after,
            limit,
          )
    return rows.map((row) => ({
      ...attempt(row),
      attemptId: Number(row.attempt_id),
      eventType: typeof row.event_type === 'string' ? row.event_type : null,
      deliveryId: typeof row.delivery_id === 'string' ? row.delivery_id : null,
    }))
  }

  /** The place of the newest one; 0 without one. */
  lastId(): number {
    return Number(this.database.get('SELECT MAX(attempt_id) AS id FROM attempts')?.id ?? 0)
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

export const endpointKinds = ['all', 'deliveries', 'drivers'] as const
type EndpointKind = (typeof endpointKinds)[number]

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
