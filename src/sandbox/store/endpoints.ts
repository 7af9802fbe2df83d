import type { Columns, Database } from './database.js'

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
