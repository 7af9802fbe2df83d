import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { openForWriting } from '../../../src/archive/database.js'
import { archivePaths } from '../../../src/archive/index.js'
import type { Cli } from '../cli/program.js'

/** The archive files of the embedded account of a home directory. */
export const archiveOf = ({ home }: Pick<Cli, 'home'>, account = 'local') =>
  archivePaths(join(home, '.local', 'share', 'dlv'), account)

/** Inserts rows by their columns. */
export function insert(database: DatabaseSync, table: string, rows: readonly Record<string, SQLInputValue>[]): void {
  const names = Object.keys(rows[0] ?? {})
  const statement = database.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  database.exec('BEGIN')
  for (const row of rows) statement.run(...names.map((name) => row[name] ?? null))
  database.exec('COMMIT')
}

/** Writes an archive of some deliveries and people, as a fill would. */
export function fillArchive(cli: Pick<Cli, 'home'>, nowMs: number): void {
  const paths = archiveOf(cli)
  const ago = (minutes: number) => new Date(nowMs - minutes * 60_000).toISOString()
  const archive = openForWriting('archive', paths.archive)
  const delivery = (id: number, status: string, more: Record<string, SQLInputValue> = {}) => ({
    delivery_id: `del_${id}`,
    client_order_reference: `ORDER-${id}`,
    status,
    status_reason_code: null,
    store_reference: id % 2 === 0 ? 'STORE-A' : '=STORE-B',
    installation_code: 'FTBRAGG',
    status_since: ago(30),
    created_at: ago(90),
    accepted_at: ago(90),
    assigned_at: ago(80),
    at_store_at: ago(70),
    picked_up_at: ago(60),
    ended_at: null,
    promised_by: ago(40),
    promise_source: 'file',
    total_price_cents: 1_000 + id,
    tip_amount_cents: 100,
    seen_at: ago(1),
    ...more,
  })
  insert(archive, 'deliveries', [
    delivery(1, 'delivered', { ended_at: ago(30) }),
    delivery(2, 'delivered', { ended_at: ago(38) }),
    delivery(3, 'failed', { status_reason_code: 'gate_closed' }),
    delivery(4, 'accepted', { status_since: ago(97), promised_by: null, promise_source: null }),
    delivery(5, 'driver_assigned', { promised_by: ago(-60) }),
    delivery(6, 'cancelled'),
  ])
  insert(archive, 'status_history', [
    { delivery_id: 'del_1', occurred_at: ago(90), status: 'accepted', status_reason_code: null },
    { delivery_id: 'del_1', occurred_at: ago(30), status: 'delivered', status_reason_code: null },
    { delivery_id: 'del_3', occurred_at: ago(30), status: 'failed', status_reason_code: 'gate_closed' },
  ])
  insert(archive, 'events', [
    {
      event_id: 'evt_1',
      event_type: 'delivery.accepted',
      occurred_at: ago(90),
      first_seen_at: ago(89),
      delivery_id: 'del_1',
      delivery_attempts: 3,
      last_delivery_status: 'failed',
    },
  ])
  archive.close()
  const people = openForWriting('people', paths.people)
  insert(people, 'people', [
    { delivery_id: 'del_1', contact_name: 'Maya Reyes', contact_phone: '+19105550142', address: '200 Hay Street' },
  ])
  people.close()
}
