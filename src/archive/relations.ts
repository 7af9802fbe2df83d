import { didYouMean, suggestions } from '../shared/word-match.js'
import { type ColumnType, type Table, tables } from './tables.js'
import { type ArchiveView, views } from './views.js'

/** A table or view of the archive, described. */
export interface Relation {
  name: string
  kind: 'table' | 'view'
  /** Personal data is in a file of its own, which a query reads only with `--people`. */
  file: Table['file']
  about: string
  columns: { name: string; type: ColumnType; about: string }[]
}

/** How the file holds values: what somebody who writes SQL needs besides the columns. */
export const valuesNote =
  "Times are text in UTC, such as 2026-11-23T14:05:09.123Z: compare them with strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day'), not with datetime(). Minutes between two are (julianday(b) - julianday(a)) * 1440. Flags are 0 or 1, amounts are cents, and json_each() reads arrays. median(x) and percentile(x, 90) are there."

/** All tables and views, those with personal data last. */
export function archiveSchema(): Relation[] {
  const columnsOf = ({ columns }: Pick<Table, 'columns'>) =>
    Object.entries(columns).map(([name, { type, about }]) => ({ name, type, about }))
  return [
    ...Object.entries<Table>(tables).map(([name, table]) => ({
      name,
      kind: 'table' as const,
      file: table.file,
      about: table.about,
      columns: columnsOf(table),
    })),
    ...Object.entries<ArchiveView>(views).map(([name, view]) => ({
      name,
      kind: 'view' as const,
      file: 'archive' as const,
      about: view.about,
      columns: columnsOf(view),
    })),
  ].sort((one, other) => Number(one.file === 'people') - Number(other.file === 'people'))
}

/** The hint for a table or column that the archive does not have, or that a query finds only with `--people`. */
export function schemaHint(what: 'table' | 'column', name: string): string {
  const schema = archiveSchema()
  if (what === 'table' && schema.some((relation) => relation.name === name && relation.file === 'people'))
    return 'Add --people, which attaches it.'
  const names = schema.flatMap(({ name: table, columns }) =>
    what === 'table' ? [table] : columns.map((column) => column.name),
  )
  const near = didYouMean(suggestions(name, [...new Set(names)], 1))
  return [near, 'dlv query --schema lists the tables and columns.'].filter(Boolean).join(' ')
}

/** A query that operators ask, for `dlv query --examples` and docs/history.md. */
export interface ExampleQuery {
  about: string
  sql: string
  parameters?: Readonly<Record<string, string>>
  /** Reads personal data, for which `--people` is needed. */
  withPeople?: true
}

export const exampleQueries: readonly ExampleQuery[] = [
  {
    about: 'What needs attention now, the latest first',
    sql: 'select client_order_reference, store_reference, status, problem from problems order by late_seconds desc',
  },
  {
    about: 'Which stores were late most often in the last 30 days',
    sql: "select store_reference, count(*) as delivered, sum(is_on_time = 0) as late, round(100.0 * sum(is_on_time = 0) / count(is_on_time), 1) as late_percent from on_time where created_at >= strftime('%Y-%m-%d', 'now', '-30 days') group by 1 order by late desc limit 20",
  },
  {
    about: 'How each of the last 14 days went',
    sql: 'select day, deliveries, delivered, failed, cancelled, on_time, late from daily order by day desc limit 14',
  },
  {
    about: 'Why deliveries to one installation failed, and what that cost, in dollars',
    sql: 'select outcome, status_reason_code, count(*) as deliveries, round(sum(wasted_cents) / 100.0, 2) as wasted from failures where installation_code = :installation group by 1, 2 order by deliveries desc',
    parameters: { installation: 'FTBRAGG' },
  },
  {
    about: 'Minutes from the order to the first driver, by hour of the day (UTC)',
    sql: "select strftime('%H', accepted_at) as hour, count(*) as orders, round(median((julianday(first_at) - julianday(accepted_at)) * 1440), 1) as median_minutes from deliveries join (select delivery_id, min(occurred_at) as first_at from status_history where status = 'driver_assigned' group by 1) using (delivery_id) group by 1 order by 1",
  },
  {
    about: 'Drivers who waited longest at the store',
    sql: 'select driver_id, count(*) as pickups, round(avg((julianday(picked_up_at) - julianday(at_store_at)) * 1440), 1) as minutes_at_store from deliveries where picked_up_at is not null and at_store_at is not null group by 1 having pickups >= 3 order by minutes_at_store desc limit 20',
  },
  {
    about: 'What each store cost this month, in dollars',
    sql: "select d.store_reference, sum(d.status = 'delivered') as delivered, round(sum(case when d.status = 'delivered' then d.total_price_cents else 0 end) / 100.0, 2) as price, round(sum(case when d.status = 'delivered' then d.tip_amount_cents else 0 end) / 100.0, 2) as tips, round(sum(coalesce(f.wasted_cents, 0)) / 100.0, 2) as failed_and_fees, round(sum(case when d.status = 'delivered' then d.total_price_cents else coalesce(f.wasted_cents, 0) end) / 100.0, 2) as spent from deliveries d left join failures f using (delivery_id) where d.created_at >= strftime('%Y-%m-01', 'now') group by 1 order by spent desc",
  },
  {
    about: 'The whole history of one order',
    sql: 'select h.occurred_at, h.status, h.status_reason_code from status_history h join deliveries d using (delivery_id) where d.client_order_reference = :reference order by h.occurred_at',
    parameters: { reference: 'ORDER-1001' },
  },
  {
    about: 'Days on which webhooks were not delivered',
    sql: 'select day, events, failed, pending, no_endpoint_configured from webhook_health where failed > 0 or pending > 0 or no_endpoint_configured > 0 order by day desc',
  },
  {
    about: 'Everything that went to one phone number',
    sql: 'select d.created_at, d.client_order_reference, d.status, p.contact_name, p.address from people p join deliveries d using (delivery_id) where p.contact_phone = :phone order by d.created_at desc',
    parameters: { phone: '+19105550142' },
    withPeople: true,
  },
]
