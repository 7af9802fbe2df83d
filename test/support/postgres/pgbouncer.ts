import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, onTestFinished } from 'vitest'
import { freePort } from '../free-port.js'
import { clusterFolder } from './cluster.js'
import type { TestDatabase } from './database.js'
import { describeOnPostgres } from './database.js'

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) =>
  existsSync(path),
)
if (program === undefined && process.env.DLV_REQUIRE_POSTGRES === '1')
  throw new Error('DLV_REQUIRE_POSTGRES is set and no PgBouncer was found. On Debian: apt-get install pgbouncer.')

/** Tests on a PgBouncer in front of a PostgreSQL; skipped by name where either is missing. */
export const describeOnPgBouncer: typeof describe | typeof describe.skip =
  program === undefined ? describe.skip : describeOnPostgres

interface PgBouncerOptions {
  mode: 'session' | 'transaction' | 'statement'
  /** Sessions with the server. */
  poolSize: number
  /** Further lines of its section. */
  lines?: readonly string[]
}

/** A PgBouncer in front of a database of a test; gone after the test. */
export async function startPgBouncer(
  { address, env }: Pick<TestDatabase, 'address' | 'env'>,
  { mode, poolSize, lines = [] }: PgBouncerOptions,
): Promise<Pick<TestDatabase, 'address' | 'env'>> {
  const server = new URL(address)
  const folder = clusterFolder('pgbouncer')
  const port = await freePort()
  const readable = { mode: 0o644 }
  writeFileSync(join(folder, 'users.txt'), `"${server.username}" "${env.PGPASSWORD}"\n`, readable)
  const section = [
    ...['[databases]', `* = host=${server.hostname} port=${server.port}`, '[pgbouncer]', 'listen_addr = 127.0.0.1'],
    ...[`listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = scram-sha-256', `auth_file = ${folder}/users.txt`],
    ...[`pool_mode = ${mode}`, `default_pool_size = ${poolSize}`, ...lines],
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), `${section.join('\n')}\n`, readable)
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = spawn(program ?? 'pgbouncer', [join(folder, 'pgbouncer.ini')], {
    ...nobody,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`pgbouncer ended: ${log}`)))
    child.stderr.on('data', (text: Buffer) => {
      log += text.toString()
      if (log.includes('process up')) resolve()
    })
  })
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGQUIT')
    await ended
  })
  return { address: `postgres://${server.username}@127.0.0.1:${port}${server.pathname}`, env }
}

/** Another program on the same pooler; gone after the test. */
export async function otherClient({ address, env }: Pick<TestDatabase, 'address' | 'env'>): Promise<pg.Client> {
  const url = new URL(address)
  url.password = env.PGPASSWORD
  const client = new pg.Client({ connectionString: url.href })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** What a session has that another client has put there. */
export async function leftIn(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(`
    SELECT 'setting ' || name || ' = ' || setting AS found FROM pg_settings
      WHERE source = 'session' AND setting IS DISTINCT FROM reset_val AND name NOT LIKE '%application_name'
    UNION ALL SELECT 'prepared ' || name FROM pg_prepared_statements
    UNION ALL SELECT 'listens to ' || channel FROM pg_listening_channels() AS channel
    UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE is_holdable
    UNION ALL SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`)
  return rows.map(({ found }) => String(found))
}
