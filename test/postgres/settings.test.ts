import { describe, expect, it, onTestFinished } from 'vitest'
import { connectPostgres, databaseError, migrate, parsePostgresAddress } from '../../src/postgres/index.js'
import { newSecret } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { postEvent, testEvent } from '../support/listener/test-listener.js'
import {
  createTestDatabase,
  describeOnPostgres,
  describeOnServers,
  once,
  startTestServer,
  type TestDatabase,
  urlOf,
} from '../support/postgres/database.js'
import { until } from '../support/until.js'

const secret = newSecret()
const remote = { DLV_WEBHOOK_SECRET: secret, DLV_BASE_URL: 'http://127.0.0.1:9/delivery/v1', DLV_API_KEY: 'dlvk_test' }

const nameOf = ({ address }: TestDatabase) => address.split('/').at(-1) ?? ''

/** Settings of a database that must change nothing, each with what a session of ours has instead. */
const harmless: readonly (readonly [name: string, value: string, ours: string])[] = [
  ['DateStyle', 'SQL, DMY', 'ISO, MDY'],
  ['DateStyle', 'German', 'ISO, MDY'],
  ['DateStyle', 'Postgres, MDY', 'ISO, MDY'],
  ['TimeZone', 'Asia/Kolkata', 'UTC'],
  ['IntervalStyle', 'iso_8601', 'postgres'],
  ['standard_conforming_strings', 'off', 'on'],
  ['bytea_output', 'escape', 'hex'],
  ['extra_float_digits', '-15', '1'],
  ['array_nulls', 'off', 'on'],
  ['search_path', 'nowhere', 'pg_catalog'],
  ['default_transaction_isolation', 'serializable', 'read committed'],
  ['default_transaction_isolation', 'repeatable read', 'read committed'],
  ['default_transaction_deferrable', 'on', 'off'],
  ['client_min_messages', 'error', 'warning'],
  ['synchronous_commit', 'off', 'on'],
  ['statement_timeout', '100s', '0'],
  ['lock_timeout', '10s', '0'],
  ['idle_in_transaction_session_timeout', '10s', '0'],
  ['idle_session_timeout', '10s', '0'],
]

const connect = async ({ address, env }: Pick<TestDatabase, 'address' | 'env'>, isOwn: boolean) => {
  const connection = await connectPostgres(parsePostgresAddress(address, env), { isOwn })
  onTestFinished(() => connection.destroy())
  return connection
}

describeOnPostgres('what a database sets for everybody', () => {
  it('is replaced one by one in a session that belongs to a listener, and times are read in every other', async () => {
    const database = await createTestDatabase()
    for (const [name, value, ours] of harmless) {
      await database.sql(
        `ALTER DATABASE ${nameOf(database)} SET ${name} = ${name === 'DateStyle' ? value : `'${value}'`}`,
      )
      const own = await connect(database, true)
      const [row] = await own.query(`SELECT current_setting('${name}') AS value, now() AS at`)
      expect(row, `${name} ${value}`).toEqual({ value: ours, at: expect.any(Date) })
      const shared = await connect(database, false)
      const [read] = await shared.query("SELECT timestamptz '2026-03-02T15:00:00Z' AS at")
      expect(read, `${name} ${value}`).toEqual({ at: new Date('2026-03-02T15:00:00Z') })
      await database.sql(`ALTER DATABASE ${nameOf(database)} RESET ${name}`)
      own.destroy()
      shared.destroy()
    }
  })

  it('changes nothing of what is received, forwarded, listed, copied and queried, all at once', async () => {
    const cli = createCli()
    const database = await createTestDatabase()
    for (const [name, value] of harmless)
      await database.sql(
        `ALTER DATABASE ${nameOf(database)} SET ${name} = ${name === 'DateStyle' ? value : `'${value}'`}`,
      )
    const app = await startTestApp()
    const listening = cli.start(
      ['webhooks', 'listen', '--journal', database.address, '-o', 'ndjson', '--forward-to', app.url],
      { env: { ...remote, ...database.env } },
    )
    const { url } = JSON.parse(await listening.line((line) => line.includes('"ready"')))
    const sent = testEvent('del_1')
    expect(await postEvent(url, secret, sent)).toBe(200)
    await until('the event is forwarded', () => app.ids().includes(sent.id))
    await listening.kill('SIGINT')
    const log = await cli.json<{ receivedAt: string }[]>(['webhooks', 'log', '--journal', database.address], {
      env: { ...remote, ...database.env },
    })
    expect(Date.now() - Date.parse(log[0]?.receivedAt ?? '')).toBeLessThan(120_000)
    await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'STYLE-1'])
    await cli.json(['sync', '--to', database.address], { env: database.env })
    const sql =
      "SELECT created_at, 0.1::float8 + 0.2 AS sum, '\\x00ff'::bytea AS bytes, '1 day'::interval AS day FROM deliveries"
    const rows = await cli.json<Record<string, string>[]>(['query', '--to', database.address, sql], {
      env: database.env,
    })
    expect(rows).toEqual([
      { created_at: expect.stringMatching(/^2.*Z$/), sum: '0.30000000000000004', bytes: '00ff', day: '1 day' },
    ])
  })

  it('lets programs that start together on an empty database all create its tables', async () => {
    for (const isolation of ['read committed', 'repeatable read', 'serializable']) {
      const database = await createTestDatabase()
      await database.sql(`ALTER DATABASE ${nameOf(database)} SET default_transaction_isolation = '${isolation}'`)
      const migrations = {
        ...{ component: 'trial', formats: ['CREATE TABLE dlv.trial (a int)'], minWriter: 1, tables: ['trial'] },
        subject: 'The trial',
      }
      const connections = await Promise.all(Array.from({ length: 4 }, (_, at) => connect(database, at % 2 === 0)))
      await Promise.all(connections.map((connection) => migrate(connection, migrations)))
    }
  })
})

describeOnPostgres('a server that has answered', () => {
  it('is never called unreachable: what ended the session is named with its remedy', async () => {
    const cli = createCli()
    const database = await createTestDatabase()
    await cli.json(['sync', '--to', database.address], { env: database.env })
    const role = `limited_${nameOf(database)}`
    await database.sql(`CREATE ROLE ${role} LOGIN PASSWORD 'not-for-records-2'`)
    onTestFinished(async () => {
      await database.sql(`DROP OWNED BY ${role}`)
      await database.sql(`DROP ROLE ${role}`)
    })
    await database.sql(`GRANT USAGE ON SCHEMA dlv_archive TO ${role}`)
    await database.sql(`GRANT CREATE ON DATABASE ${nameOf(database)} TO ${role}`)
    const address = database.address.replace('//dlv@', `//${role}@`)
    const env = { PGPASSWORD: 'not-for-records-2' }
    const listen = ['webhooks', 'listen', '--journal', address, '--port', '0']
    const query = ['query', '--to', address, '--all-accounts', 'SELECT count(*) FROM generate_series(1, 3000000)']
    const cases: readonly (readonly [
      set: string,
      reset: string,
      words: readonly string[],
      exitCode: number,
      said: RegExp,
    ])[] = [
      [
        'SET default_transaction_read_only = on',
        'RESET default_transaction_read_only',
        listen,
        3,
        /takes no writes.*default_transaction_read_only.*\nhint: .*RESET default_transaction_read_only/s,
      ],
      [
        "SET statement_timeout = '50ms'",
        'RESET statement_timeout',
        query,
        8,
        /statement_timeout.*\nhint: .*statement_timeout/s,
      ],
      ['CONNECTION LIMIT 0', 'CONNECTION LIMIT -1', query, 8, /takes no more connections.*\nhint: .*CONNECTION LIMIT/s],
      ['NOLOGIN', 'LOGIN', query, 3, /refused the user/],
    ]
    for (const [set, reset, words, exitCode, said] of cases) {
      await database.sql(`ALTER ROLE ${role} ${set}`)
      const ended = await cli.run(words, { env: { ...remote, ...env } })
      expect(ended, set).toMatchObject({ exitCode, stderr: expect.stringMatching(said) })
      expect(ended.stderr, set).not.toMatch(/unreachable|is PostgreSQL running/i)
      await database.sql(`ALTER ROLE ${role} ${reset}`)
    }
  })

  it('is named when it ends a session that waits', async () => {
    const database = await createTestDatabase()
    for (const name of ['idle_in_transaction_session_timeout', 'idle_session_timeout']) {
      const connection = await connect(database, false)
      if (name.includes('transaction')) await connection.query('BEGIN')
      // From here on it may end at any moment.
      await connection.query(`SET ${name} = '20ms'`)
      await until('the session ends', () => connection.isLost())
      const error = await connection.query('SELECT 1').catch((reason: unknown) => databaseError(reason, 'The journal'))
      expect(error).toMatchObject({ kind: 'connection', message: expect.stringContaining(name) })
      expect(String(error)).not.toContain('unreachable')
    }
  })

  it('shows in doctor what was set for the role and the database', async () => {
    const cli = createCli()
    const database = await createTestDatabase()
    const settings = async () => {
      const { stdout } = await cli.run(['doctor', '--to', database.address, '--json'], { env: database.env })
      return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'archive settings')
    }
    await database.sql(`ALTER DATABASE ${nameOf(database)} SET DateStyle = German`)
    expect(await settings()).toMatchObject({
      verdict: 'ok',
      finding: expect.stringMatching(/DateStyle = .*German.* \(database\)/i),
    })
    await database.sql(`ALTER DATABASE ${nameOf(database)} SET statement_timeout = '5s'`)
    expect(await settings()).toMatchObject({
      verdict: 'warning',
      finding: expect.stringContaining('statement_timeout = 5s'),
    })
    await database.sql(`ALTER DATABASE ${nameOf(database)} SET default_transaction_read_only = on`)
    expect(await settings()).toMatchObject({
      verdict: 'problem',
      finding: expect.stringContaining('read_only = on (database)'),
    })
  })
})

describeOnServers('a server with rules of its own', () => {
  it('is named with pg_hba.conf if it takes only encrypted connections', async () => {
    const server = await startTestServer()
    const { writeFileSync } = await import('node:fs')
    writeFileSync(`${server.folder}/pg_hba.conf`, 'local all all trust\nhostssl all all 0.0.0.0/0 scram-sha-256\n')
    await once(urlOf(server), 'SELECT pg_reload_conf()')
    const url = new URL(urlOf(server))
    const ended = await createCli().run(['query', '--to', `postgres://dlv@${url.host}/postgres`, 'SELECT 1'], {
      env: { PGPASSWORD: url.password },
    })
    expect(ended).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/pg_hba\.conf.*\nhint: .*sslmode=require/s),
    })
  })
})

describe('the parameters of an address', () => {
  it.each([
    'sslmode=require&channel_binding=require',
    'sslmode=verify-full&sslrootcert=system&connect_timeout=10',
    'sslmode=allow&application_name=shop&options=endpoint%3Dep-cool-1',
    'target_session_attrs=read-write&keepalives_idle=30',
    'sslcert=/etc/app.crt&sslkey=/etc/app.key&sslnegotiation=direct',
    'pgbouncer=true&connection_limit=1',
    'user=app&dbname=hooks&port=6000&passfile=/dev/null',
  ])('takes ?%s as providers print it', (query) => {
    expect(parsePostgresAddress(`postgres://db.example.com/?${query}`, {}).hosts).toHaveLength(1)
  })

  it('names an unknown one, and a value that cannot be used', () => {
    const refusal = (query: string) => () => parsePostgresAddress(`postgres://db.example.com/x?${query}`, {})
    expect(refusal('shcema=x')).toThrow('unknown parameter "shcema"')
    expect(refusal('channel_binding=maybe')).toThrow('channel_binding "maybe" is not known')
    expect(refusal('connect_timeout=soon')).toThrow('connect_timeout "soon" is not a number of seconds')
    expect(refusal('target_session_attrs=master')).toThrow('target_session_attrs "master" is not known')
  })
})
