import {
  type Connection,
  examineDatabase,
  isMigrated,
  noTablesFinding,
  okFinding,
  parsePostgresAddress,
  type Row,
} from '../../../postgres/index.js'
import { textOf } from '../../../shared/json.js'
import type { JournalFinding, JournalStatus } from '../reader.js'
import { shownBacklog, shownGivenUp } from '../shown-targets.js'
import { journalMigrations, lockClasses, ofAccounts, shardCount, shardOfAccounts } from './schema.js'
import { readBacklog, readGivenUp } from './targets.js'

const forwarders = `
SELECT a.application_name AS name, a.backend_start AS since,
  (SELECT count(*) FROM pg_locks s WHERE s.pid = l.pid AND s.locktype = 'advisory' AND s.granted
    AND s.classid = ${lockClasses.shards}) AS shards
FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ${lockClasses.forwarders}
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
ORDER BY a.backend_start`

const standbys = `
SELECT application_name AS name, host(client_addr) AS host, state, sync_state AS sync,
  pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::bigint AS behind_bytes
FROM pg_stat_replication ORDER BY application_name`

const newestEvent = `SELECT received_at AS at FROM dlv.events e WHERE ${ofAccounts('e', '$1')} ORDER BY seq DESC LIMIT 1`

const forwardedShards = `
SELECT (SELECT count(*) FROM dlv.accounts_forwarded a WHERE ${ofAccounts('a', '$1')}) AS accounts,
  count(*) AS owned FROM (SELECT objid::int AS shard FROM pg_locks WHERE locktype = 'advisory' AND granted
    AND classid = ${lockClasses.shards} AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS locked
WHERE ${shardOfAccounts('$1')}`

/** The forwarders, the pending events, and the standbys. */
export async function readStatus(connection: Connection, accounts: readonly string[] | null): Promise<JournalStatus> {
  const members = (await connection.query(forwarders)).map(memberOf)
  const [forwarded] = await connection.query(forwardedShards, [accounts])
  const [owned, total] = [Number(forwarded?.owned), Math.max(1, Number(forwarded?.accounts)) * shardCount]
  const [newest] = await connection.query(newestEvent, [accounts])
  return {
    listener: null,
    lastEventAt: newest?.at instanceof Date ? newest.at.toISOString() : null,
    members,
    shards: { total, owned, unowned: total - owned },
    pending: shownBacklog(await readBacklog(connection, accounts)),
    givenUp: shownGivenUp(await readGivenUp(connection, accounts)),
    standbys: (await connection.query(standbys)).map(({ name, host, state, sync, behind_bytes }) => ({
      name: textOf(name) ?? null,
      host: textOf(host) ?? null,
      state: textOf(state) ?? null,
      sync: textOf(sync) ?? null,
      behindBytes: behind_bytes == null ? null : Number(behind_bytes),
    })),
  }
}

function memberOf({ name, since, shards }: Row) {
  const [, host = null, pid] = /^dlv forwarder (\S+) (\d+)/.exec(String(name ?? '')) ?? []
  return {
    host,
    pid: pid === undefined ? null : Number(pid),
    since: since instanceof Date ? since.toISOString() : null,
    shards: Number(shards),
  }
}

/** Looks at everything that a shared journal needs of its database. Ends with the first problem that hides the rest. */
export function examinePostgres(
  text: string,
  env: NodeJS.ProcessEnv,
  nowMs: () => number,
): AsyncGenerator<JournalFinding> {
  const address = parsePostgresAddress(text, env)
  const subject = `The journal ${address.shown}`
  return examineDatabase({
    address,
    name: 'journal',
    subject,
    needsOwnSession: true,
    async *further(connection) {
      yield await standbyFinding(connection)
      yield clockFinding(await connection.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms'), nowMs())
      yield await tablesFinding(connection, subject)
      yield await partitionFinding(connection)
    },
  })
}

async function standbyFinding(connection: Connection): Promise<JournalFinding> {
  const [row] = await connection.query(
    `SELECT current_setting('synchronous_standby_names') AS names, current_setting('synchronous_commit') AS commits,
       (SELECT count(*) FROM pg_stat_replication) AS standbys`,
  )
  const check = 'journal standby'
  const names = String(row?.names ?? '')
  const count = Number(row?.standbys)
  if (names === '' || row?.commits === 'off' || row?.commits === 'local')
    return {
      check,
      verdict: 'warning',
      finding:
        count === 0
          ? 'There is no standby: events are lost with the disk of the primary.'
          : 'The standby is asynchronous: what was acknowledged last is lost with the primary.',
      hint: "Set synchronous_standby_names, such as 'ANY 1 (b,c)'. See docs/scale.md.",
    }
  if (count === 0)
    return {
      check,
      verdict: 'problem',
      finding: `No standby is connected, and commits wait for one of: ${names}.`,
      hint: 'Start the standby. Nothing is acknowledged until it is back.',
    }
  if (count === 1)
    return {
      check,
      verdict: 'warning',
      finding: `Synchronous (${names}), with a single standby: while it is unreachable, nothing is acknowledged.`,
      hint: "Add a second one and set synchronous_standby_names = 'ANY 1 (b,c)'.",
    }
  return okFinding(check, `synchronous (${names}), ${count} standbys`)
}

function clockFinding([row]: readonly Row[], nowMs: number): JournalFinding {
  const seconds = Math.round((nowMs - Number(row?.ms)) / 1_000)
  const check = 'journal clock'
  if (Math.abs(seconds) <= 5) return okFinding(check, 'agrees with this machine')
  return {
    check,
    verdict: 'warning',
    finding: `This machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the database.`,
    hint: 'Synchronize both clocks: times in the journal are those of its receivers.',
  }
}

async function tablesFinding(connection: Connection, subject: string): Promise<JournalFinding> {
  const check = 'journal tables'
  const migrations = journalMigrations(subject)
  if (await isMigrated(connection, migrations)) return okFinding(check, `format ${migrations.formats.length}`)
  return noTablesFinding(check, 'The first listener that keeps its journal there creates them.')
}

async function partitionFinding(connection: Connection): Promise<JournalFinding> {
  const check = 'journal partitions'
  const rows = await connection.query(
    `SELECT max(substring(c.relname FROM '_([0-9]{8})$')) AS last, to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD') AS today
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass('dlv.events')`,
  )
  const { last, today } = rows[0] ?? {}
  if (typeof last === 'string' && last > String(today)) return okFinding(check, `made ahead until ${last}`)
  return {
    check,
    verdict: 'warning',
    finding: 'No partition is made ahead: new events go to the default one, and old ones are deleted row by row.',
    hint: 'A running listener makes them every hour; does its user own the tables of the schema dlv?',
  }
}
