/** The views of the archive: the judgements of lists, boards and reports in SQL, made from the same tables of limits and words. */

import type { DatabaseSync } from 'node:sqlite'
import { deliveryStatuses } from '../contract/internal.js'
import { minuteMs, problemUnits } from '../shared/durations.js'
import { endedProblemMs, onTheWay, statusWords, stuckLimits, waits } from '../trade/problems.js'
import { graceMs } from '../trade/promise.js'
import {
  endedBadly,
  failedStatuses,
  isActive,
  isExpected,
  isProblemStatus,
  unwantedCancellations,
} from '../trade/statuses.js'
import { unsuccessful } from '../trade/webhook-status.js'
import type { Column, ColumnType } from './tables.js'

/** SQLite, also of the `sqlite3` shell, and PostgreSQL. */
type Dialect = 'sqlite' | 'postgres'

export interface ArchiveView {
  readonly about: string
  readonly columns: Readonly<Record<string, Column>>
  /** The query behind it. */
  readonly sql: (dialect: Dialect) => string
}

/** The parts of a query that the databases write differently. */
interface Words {
  /** A time as whole milliseconds since the epoch. */
  ms(time: string): string
  /** The day of a time in UTC, such as `2026-11-23`. */
  day(time: string): string
  /** The time of these milliseconds. */
  time(ms: string): string
  now: string
  /** The larger of two numbers. */
  larger(one: string, other: string): string
  /** The column that says whose a row is, before others: a file is of one account. */
  account: string
  /** Whether two rows are of one account, after other conditions. */
  isSameAccount(one: string, other: string): string
}

const wordsOf: Readonly<Record<Dialect, Words>> = {
  sqlite: {
    ms: (time) => `CAST(round((julianday(${time}) - 2440587.5) * 86400000) AS INTEGER)`,
    day: (time) => `strftime('%Y-%m-%d', ${time})`,
    time: (ms) => `strftime('%Y-%m-%dT%H:%M:%fZ', (${ms}) / 1000.0, 'unixepoch')`,
    now: `'now'`,
    larger: (one, other) => `max(${one}, ${other})`,
    account: '',
    isSameAccount: () => '',
  },
  postgres: {
    ms: (time) => `CAST(round(extract(epoch FROM ${time}) * 1000) AS bigint)`,
    day: (time) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
    time: (ms) => `to_timestamp((${ms}) / 1000.0)`,
    now: 'now()',
    larger: (one, other) => `greatest(${one}, ${other})`,
    account: 'account, ',
    isSameAccount: (one, other) => ` AND ${one}.account = ${other}.account`,
  },
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const listed = (texts: Iterable<string>) => `(${[...texts].map(quoted).join(', ')})`
const chosen = (cases: Iterable<readonly [when: string, then: string]>, otherwise: string) =>
  `CASE ${[...cases].map(([when, then]) => `WHEN ${when} THEN ${then}`).join(' ')} ELSE ${otherwise} END`
const byStatus = <Fact>(facts: Readonly<Record<string, Fact>>, value: (fact: Fact) => string, otherwise: string) =>
  chosen(
    Object.entries(facts).map(([status, fact]) => [`status = ${quoted(status)}`, value(fact)]),
    otherwise,
  )

const column = (type: ColumnType, about: string): Column => ({ type, about })
const reference = column('text', 'Your own reference of the order.')
const deliveryId = column('text', 'The delivery.')
const store = column('text', 'The store that it comes from.')
const createdAt = column('time', 'When the order was accepted by the service.')
const promisedBy = column('time', 'The promise, or the first estimated arrival if there is none.')
const promiseSource = column('text', 'Where the promise is from: `file`, `quote`, `window` or `firstEta`.')
const count = (about: string) => column('integer', about)

const problemStatuses = deliveryStatuses.filter((status) => isProblemStatus(status))
const isUnwanted = `status = 'cancelled' AND coalesce(status_reason_code, '') IN ${listed(unwantedCancellations)}`
const isProblemSql = `(status IN ${listed(problemStatuses)} OR ${isUnwanted})`
const settledStatuses = deliveryStatuses.filter((status) => !isActive(status) && !isProblemStatus(status))
const span = (ms: string) => {
  const [minutes, hours, days] = problemUnits
  const inUnit = ({ unitMs, word }: (typeof problemUnits)[number]) => `(${ms} / ${unitMs}) || ' ${word}'`
  return chosen(
    [minutes, hours].map((unit) => [`${ms} < ${unit.belowMs}`, inUnit(unit)]),
    inUnit(days),
  )
}

function problemsSql(dialect: Dialect): string {
  const { ms, now, larger, time, account, isSameAccount } = wordsOf[dialect]
  const because = `CASE WHEN ${isProblemSql} THEN coalesce(': ' || status_reason_code, '') ELSE '' END`
  const stuckAfterMs = byStatus(waits, ([limit]) => String(stuckLimits[limit]), 'NULL')
  const waitingWords = byStatus(waits, ([, words]) => quoted(words), `''`)
  const waitingText = `${waitingWords} || CASE WHEN waited_ms >= ${minuteMs} THEN ' for ' || ${span('waited_ms')} ELSE '' END || ${because}`
  const badText = `${byStatus(statusWords, quoted, 'status')} || ${because}`
  const withComma = (text: string) => `CASE WHEN ${text} = '' THEN '' ELSE ', ' || ${text} END`
  // The present is read once: each mention is another moment. The service's clock may be ahead: that of a sandbox is virtual.
  return `WITH clock AS MATERIALIZED (
  SELECT ${ms(now)} AS machine_ms
), timed AS (
  SELECT d.*, machine_ms + coalesce(clock_ahead_ms, 0) AS now_ms, ${ms('status_since')} AS since_ms, ${ms('promised_by')} AS promised_ms, ${ms('position_at')} AS position_ms
  FROM clock CROSS JOIN deliveries d LEFT JOIN syncs s ON s.source = 'events'${isSameAccount('s', 'd')} WHERE status NOT IN ${listed(settledStatuses)} OR ${isUnwanted}
), measured AS (
  SELECT *, now_ms - since_ms AS waited_ms,
    CASE WHEN status NOT IN ${listed(deliveryStatuses.filter((status) => !isExpected(status)))} AND now_ms - promised_ms > ${graceMs} THEN now_ms - promised_ms ELSE 0 END AS late_ms,
    CASE WHEN status IN ${listed(onTheWay)} THEN now_ms - ${larger('position_ms', 'coalesce(since_ms, position_ms)')} END AS silent_ms
  FROM timed
), worded AS (
  SELECT *,
    CASE WHEN status IN ${listed(Object.keys(waits))} THEN
      CASE WHEN ${isProblemSql} OR waited_ms > ${stuckAfterMs} THEN ${waitingText} ELSE '' END
      WHEN ${isProblemSql} THEN ${badText} ELSE '' END AS status_text,
    CASE WHEN late_ms = 0 THEN '' WHEN promise_source = 'window' THEN 'window ended ' || ${span('late_ms')} || ' ago' ELSE ${span('late_ms')} || ' late' END AS late_text,
    CASE WHEN silent_ms > ${stuckLimits.position} THEN 'no position for ' || ${span('silent_ms')} ELSE '' END AS position_text
  FROM measured
), judged AS (
  SELECT *, substr(${['status_text', 'late_text', 'position_text'].map(withComma).join(' || ')}, 3) AS problem FROM worded
)
SELECT ${account}delivery_id, client_order_reference, status, status_reason_code, status_since, problem, late_ms / 1000 AS late_seconds,
  store_reference, installation_code, gate, driver_id, created_at, promised_by, promise_source, newest_eta, ${time('now_ms')} AS as_of
FROM judged WHERE problem <> '' AND NOT ((status IN ${listed(deliveryStatuses.filter((status) => endedBadly(status)))} OR ${isUnwanted}) AND coalesce(waited_ms, 0) > ${endedProblemMs})`
}

function onTimeSql(dialect: Dialect): string {
  const { ms, account } = wordsOf[dialect]
  const late = `${ms('ended_at')} - ${ms('promised_by')}`
  return `WITH arrived AS (
  SELECT *, ${late} AS late_ms FROM deliveries WHERE status = 'delivered'
)
SELECT ${account}delivery_id, client_order_reference, store_reference, installation_code, driver_id, created_at, ended_at AS delivered_at, promised_by, promise_source,
  CASE WHEN late_ms > ${graceMs} THEN late_ms / 1000 WHEN late_ms IS NOT NULL THEN 0 END AS late_seconds, late_ms <= ${graceMs} AS is_on_time
FROM arrived`
}

/** The reason is that of the first of these steps; what came back to the store has failed, also if it was cancelled then. */
function failuresSql(dialect: Dialect): string {
  const { account, isSameAccount } = wordsOf[dialect]
  const bad = listed([...failedStatuses, 'cancelled', 'expired'])
  const hasFailed = `h.status IN ${listed(failedStatuses)}`
  return `WITH steps AS (
  SELECT d.*, CASE WHEN ${hasFailed} THEN 'failed' ELSE h.status END AS ended_as, h.status_reason_code AS reason, h.occurred_at AS failed_at,
    row_number() OVER (PARTITION BY ${account === '' ? '' : 'd.account, '}d.delivery_id ORDER BY CASE WHEN ${hasFailed} THEN 0 ELSE 1 END, h.occurred_at, h.status) AS place
  FROM deliveries d JOIN status_history h ON h.delivery_id = d.delivery_id${isSameAccount('h', 'd')} WHERE d.status IN ${bad} AND h.status IN ${bad}
)
SELECT ${account}delivery_id, client_order_reference, ended_as AS outcome, reason AS status_reason_code, failed_at, status, store_reference, installation_code, gate, driver_id, created_at,
  CASE ended_as WHEN 'failed' THEN total_price_cents WHEN 'cancelled' THEN cancellation_fee_cents ELSE 0 END AS wasted_cents
FROM steps WHERE place = 1`
}

function dailySql(dialect: Dialect): string {
  const { ms, day, account } = wordsOf[dialect]
  const of = (name: string) => `count(CASE WHEN outcome = '${name}' THEN 1 END) AS ${name}`
  return `WITH ended AS (
  SELECT *, ${day('created_at')} AS day, CASE WHEN status = 'delivered' THEN ${ms('ended_at')} - ${ms('promised_by')} END AS late_ms FROM deliveries
)
SELECT ${account}day, count(*) AS deliveries, ${['delivered', 'failed', 'cancelled', 'expired', 'active'].map(of).join(', ')},
  count(CASE WHEN late_ms <= ${graceMs} THEN 1 END) AS on_time, count(CASE WHEN late_ms > ${graceMs} THEN 1 END) AS late,
  sum(CASE WHEN outcome = 'delivered' THEN total_price_cents END) AS price_cents, sum(CASE WHEN outcome = 'delivered' THEN tip_amount_cents END) AS tip_cents
FROM ended GROUP BY ${account}day`
}

function webhookHealthSql(dialect: Dialect): string {
  const { ms, day, account } = wordsOf[dialect]
  const of = (word: string) => `count(CASE WHEN last_delivery_status = '${word}' THEN 1 END) AS ${word}`
  const delivered = `last_delivery_status = 'delivered' OR (delivery_attempts > 0 AND coalesce(last_delivery_status, '') NOT IN ${listed(unsuccessful)})`
  return `SELECT ${account}${day('occurred_at')} AS day, count(*) AS events, sum(coalesce(delivery_attempts, 0)) AS attempts,
  count(CASE WHEN ${delivered} THEN 1 END) AS delivered, ${unsuccessful.map(of).join(', ')},
  count(received_at) AS received, round(avg(${ms('received_at')} - ${ms('occurred_at')}) / 1000.0, 3) AS mean_seconds, max(${ms('received_at')} - ${ms('occurred_at')}) / 1000.0 AS longest_seconds
FROM events GROUP BY ${account}${day('occurred_at')}`
}

export const views = {
  problems: {
    about:
      'What needs attention now: each delivery that is stuck, late or returning, and what failed, expired or was cancelled by the carrier in the last day; the rows of `deliveries list --problem` and the problems of `deliveries board`, of deliveries of any age.',
    columns: {
      delivery_id: deliveryId,
      client_order_reference: reference,
      status: column('text', 'The newest status.'),
      status_reason_code: column('text', 'Why it has this status.'),
      status_since: column('time', 'When it got this status.'),
      problem: column('text', 'The problem in words, such as `no driver for 97 min`.'),
      late_seconds: column('integer', 'The delay after the promise; 0 if it is not late.'),
      store_reference: store,
      installation_code: column('text', 'The installation of the dropoff.'),
      gate: column('text', 'The gate of the installation.'),
      driver_id: column('text', 'The driver who has it, or had it last.'),
      created_at: createdAt,
      promised_by: promisedBy,
      promise_source: promiseSource,
      newest_eta: column('time', 'The newest estimated arrival at the dropoff.'),
      as_of: column('time', "The present, by the service's clock."),
    },
    sql: problemsSql,
  },
  on_time: {
    about: 'Each delivery that was delivered, with its promise: on time is at most five minutes after it.',
    columns: {
      delivery_id: deliveryId,
      client_order_reference: reference,
      store_reference: store,
      installation_code: column('text', 'The installation of the dropoff.'),
      driver_id: column('text', 'The driver who delivered it.'),
      created_at: createdAt,
      delivered_at: column('time', 'When it was delivered.'),
      promised_by: promisedBy,
      promise_source: promiseSource,
      late_seconds: column('integer', 'The delay after the promise; 0 if it was on time, empty without a promise.'),
      is_on_time: column('flag', 'Whether it was on time; empty without a promise.'),
    },
    sql: onTimeSql,
  },
  failures: {
    about: 'Each delivery that failed, was cancelled or expired, with the reason that a report counts.',
    columns: {
      delivery_id: deliveryId,
      client_order_reference: reference,
      outcome: column('text', '`failed`, also if it returns or has returned to the store; `cancelled` or `expired`.'),
      status_reason_code: column(
        'text',
        'Why; `deliveries` has the reason of the newest status, and a return has none.',
      ),
      failed_at: column('time', 'When it failed, was cancelled or expired.'),
      status: column('text', 'The newest status.'),
      store_reference: store,
      installation_code: column('text', 'The installation of the dropoff.'),
      gate: column('text', 'The gate of the installation.'),
      driver_id: column('text', 'The driver who had it last.'),
      created_at: createdAt,
      wasted_cents: count('What it cost for nothing: the price of one that failed, the fee of one that was cancelled.'),
    },
    sql: failuresSql,
  },
  daily: {
    about: 'Each day, in UTC, on which deliveries were created, and how they ended.',
    columns: {
      day: column('text', 'The day, such as `2026-11-23`.'),
      deliveries: count('The number of deliveries that were created.'),
      delivered: count('Those that were delivered.'),
      failed: count('Those that failed, also those that return or have returned to the store.'),
      cancelled: count('Those that were cancelled.'),
      expired: count('Those that expired.'),
      active: count('Those that are still under way.'),
      on_time: count('Those delivered at most five minutes after their promise.'),
      late: count('Those delivered later than that.'),
      price_cents: count('The sum of the prices of those delivered, in cents.'),
      tip_cents: count('The sum of the tips of those delivered, in cents.'),
    },
    sql: dailySql,
  },
  webhook_health: {
    about: 'Each day, in UTC, with events, and how their webhooks went.',
    columns: {
      day: column('text', 'The day, such as `2026-11-23`.'),
      events: count('The number of events.'),
      attempts: count('How often webhooks were sent.'),
      delivered: count('Events whose webhook was delivered.'),
      pending: count('Events whose webhook is still to be delivered.'),
      failed: count('Events whose webhook was given up.'),
      no_endpoint_configured: count('Events that had no endpoint to be sent to.'),
      received: count('Events that a listener here received.'),
      mean_seconds: column('real', 'The mean time from the event to the listener.'),
      longest_seconds: column('real', 'The longest time from the event to the listener.'),
    },
    sql: webhookHealthSql,
  },
} as const satisfies Readonly<Record<string, ArchiveView>>

/** Statements that create all views, also over those of an earlier version. */
export function viewStatements(dialect: Dialect): string[] {
  return Object.entries(views).flatMap(([name, { sql }]) => [
    `DROP VIEW IF EXISTS ${name}`,
    `CREATE VIEW ${name} AS ${sql(dialect)}`,
  ])
}

/** Creates the views of a file, or replaces those of a version with other limits or words. */
export function updateViews(database: DatabaseSync): void {
  const found = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'view'").all()
  const known = new Set(found.map(({ sql }) => sql))
  const statements = viewStatements('sqlite')
  if (statements.filter((sql) => known.has(sql)).length === Object.keys(views).length) return
  database.exec(`BEGIN IMMEDIATE; ${statements.join(';\n')}; COMMIT`)
}
