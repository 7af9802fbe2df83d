import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  bigintArray,
  byteaArray,
  type Connection,
  type ConnectOptions,
  connectPostgres,
  databaseError,
  hasPassword,
  isMigrated,
  type Migrations,
  migrate,
  parsePostgresAddress,
  textArray,
  timeArray,
} from '../../src/postgres/index.js'
import {
  createTestDatabase,
  describeOnPostgres,
  describeOnServers,
  once,
  startTestPair,
  urlOf,
} from '../support/postgres/database.js'
import { createTempDir } from '../support/temp-dir.js'

async function connect(address: string, env: NodeJS.ProcessEnv, options: ConnectOptions = {}): Promise<Connection> {
  const connection = await connectPostgres(parsePostgresAddress(address, env), options)
  onTestFinished(() => connection.destroy())
  return connection
}

/** What a user is told if a connection fails. */
async function failureOf(address: string, env: NodeJS.ProcessEnv) {
  try {
    await connect(address, env)
  } catch (error) {
    return databaseError(error, 'The journal')
  }
  throw new Error('it connected')
}

describe('the address of a database', () => {
  it('has hosts in their order, and is shown without its password', () => {
    const address = parsePostgresAddress('postgres://app:s%40cret@one:5433,[::1],two/orders', {})
    expect(address.hosts.map(({ host, port, name }) => [host, port, name])).toEqual([
      ['one', 5433, 'one:5433'],
      ['::1', 5432, '[::1]:5432'],
      ['two', 5432, 'two:5432'],
    ])
    expect(address.shown).toBe('postgres://app@one:5433,[::1]:5432,two:5432/orders')
    expect(address.hosts.map(address.passwordFor)).toEqual(['s@cret', 's@cret', 's@cret'])
  })

  it('takes what it leaves out from the variables of PostgreSQL', () => {
    const env = { PGUSER: 'ops', PGDATABASE: 'hooks', PGPASSWORD: 'p', PGPORT: '6000', PGHOST: 'db' }
    const address = parsePostgresAddress('postgres://', env)
    expect([address.shown, address.passwordFor(address.hosts[0] ?? { host: '', port: 0, name: '' })]).toEqual([
      'postgres://ops@db:6000/hooks',
      'p',
    ])
  })

  it('finds the password of each host in a password file', () => {
    const file = join(createTempDir(), 'pass')
    writeFileSync(file, '# hosts\none:5432:*:app:first\\:1\ntwo:*:hooks:app:second\n')
    const address = parsePostgresAddress('postgres://app@one,two,three/hooks', { PGPASSFILE: file })
    expect(address.hosts.map(address.passwordFor)).toEqual(['first:1', 'second', ''])
  })

  it.each([
    ['postgres://a:secret-1@h/x y/#', 'not a valid URL'],
    ['postgres://a:secret-1@h:99999/x', 'a host that cannot be read'],
    ['postgres://a:secret-1@h/x?sslmode=maybe', 'sslmode "maybe" is not known'],
    ['postgres://a:secret-1@h/x?pool=3', 'unknown parameter'],
    ['postgres://a:%zz@h/x', 'a % that encodes nothing'],
  ])('%s is refused without repeating its password', (text, why) => {
    expect(() => parsePostgresAddress(text, {})).toThrow(why)
    expect(() => parsePostgresAddress(text, {})).not.toThrow('secret-1')
  })

  it('tells whether it holds a password', () => {
    expect(
      ['postgres://a:p@h/x', 'postgres://h/x?password=p', 'postgres://a@h/x', 'journal.db'].map(hasPassword),
    ).toEqual([true, true, false, false])
  })
})

describe('a database that cannot be reached', () => {
  it('is unreachable, with its host and port', async () => {
    const error = await failureOf('postgres://app@127.0.0.1:9/x', {})
    expect(error).toMatchObject({ kind: 'connection' })
    expect(error.message).toBe('The journal is unreachable: 127.0.0.1:9 is unreachable (connection refused).')
  })
})

describeOnPostgres('a session', () => {
  it('is refused a wrong password, which is never repeated', async () => {
    const { address } = await createTestDatabase()
    const error = await failureOf(address, { PGPASSWORD: 'wrong-secret' })
    expect(error.name).toBe('AccessDeniedError')
    expect(`${error.message} ${error.hint}`).toMatch(/password .*PGPASSWORD/)
    expect(JSON.stringify([error.message, error.hint])).not.toContain('wrong-secret')
    const missing = await failureOf(address, { PGPASSFILE: '/dev/null' })
    expect(missing.name).toBe('AccessDeniedError')
    expect(missing.message).toContain('no password is set for user "dlv"')
  })

  it('is told that its database does not exist', async () => {
    const { address, env } = await createTestDatabase()
    expect((await failureOf(`${address}_missing`, env)).message).toContain('does not exist')
  })

  it('waits for the standby, whatever its role was set to, and ends with a statement that takes too long', async () => {
    const { address, env, sql } = await createTestDatabase()
    await sql('ALTER DATABASE '.concat(address.split('/').at(-1) ?? '', ' SET synchronous_commit = off'))
    const connection = await connect(address, env, { isOwn: true })
    expect(await connection.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }])
    await expect(connection.query('SELECT pg_sleep(10)', [], { timeoutMs: 20 })).rejects.toThrow('did not answer')
    expect(connection.isLost()).toBe(true)
  })

  it('is given arrays as they are', async () => {
    const { address, env } = await createTestDatabase()
    const connection = await connect(address, env, { isOwn: true })
    const texts = ['', 'NULL', undefined, 'a "quoted\\ {word}, ü 🚚', '\ud800']
    const times = [0, 951_782_400_123, Date.UTC(1969, 6, 20), Date.UTC(5138, 0, 1), 1.9]
    const text =
      'SELECT $1::text[] AS texts, $2::bigint[]::text[] AS counts, $3::timestamptz[] AS times, $4::bytea[] AS bytes'
    const values = [
      textArray(texts),
      bigintArray([0, -1, Number.MAX_SAFE_INTEGER]),
      timeArray(times),
      byteaArray([new Uint8Array(), Uint8Array.of(0, 0xff, 0x5c)]),
    ]
    expect(await connection.query(text, values)).toEqual([
      {
        texts: ['', 'NULL', null, 'a "quoted\\ {word}, ü 🚚', '\ufffd'],
        counts: ['0', '-1', String(Number.MAX_SAFE_INTEGER)],
        times: times.map((ms) => new Date(ms)),
        bytes: [Buffer.of(), Buffer.of(0, 0xff, 0x5c)],
      },
    ])
    const none = await connection.query('SELECT cardinality($1::text[]) AS count', [textArray([])])
    expect(none).toEqual([{ count: 0 }])
  })

  it('takes a durable write that was warned of for a failure', async () => {
    const { address, env } = await createTestDatabase()
    const connection = await connect(address, env, { isOwn: true })
    const warned = "DO $$ BEGIN RAISE WARNING 'der Standby antwortet nicht'; END $$"
    await connection.query(warned)
    await expect(connection.query(warned, [], { isDurable: true })).rejects.toThrow('may not have reached its standby')
    expect(connection.isLost()).toBe(true)
  })
})

describeOnPostgres('migrations', () => {
  const first: Migrations = {
    component: 'trial',
    formats: ['CREATE TABLE dlv.trial (a int)'],
    minWriter: 1,
    tables: ['trial'],
    subject: 'The trial',
  }
  const second: Migrations = { ...first, formats: [...first.formats, 'ALTER TABLE dlv.trial ADD COLUMN b int'] }

  it('are made once by programs that start together, and completed by a newer one', async () => {
    const { address, env, sql } = await createTestDatabase()
    const sessions = await Promise.all(Array.from({ length: 4 }, () => connect(address, env)))
    const [one] = sessions
    expect(await isMigrated(one as Connection, first)).toBe(false)
    await Promise.all(sessions.map((session) => migrate(session, first)))
    await migrate(one as Connection, second)
    await migrate(one as Connection, first)
    expect(await sql("SELECT value FROM dlv.meta WHERE name = 'trial.format'")).toEqual([{ value: '2' }])
  })

  it('of a newer program that older ones would damage keep these off', async () => {
    const { address, env } = await createTestDatabase()
    const session = await connect(address, env)
    await migrate(session, { ...second, minWriter: 2 })
    await expect(migrate(session, first)).rejects.toThrow('was written by a newer dlv (format 2; this one knows 1)')
  })

  it('name a table that was dropped', async () => {
    const { address, env, sql } = await createTestDatabase()
    const session = await connect(address, env)
    await migrate(session, first)
    await sql('DROP TABLE dlv.trial')
    await expect(migrate(session, first)).rejects.toThrow('is damaged: the table dlv.trial does not exist')
  })
})

describeOnServers('a pair of servers', () => {
  it('is used at its primary, named a standby alone, and followed when the standby is promoted', async () => {
    const { address, env, primary, standby, promote } = await startTestPair()
    const turned = address.replace(/(127[^,]*),(127[^/]*)/, '$2,$1')
    const session = await connect(turned, env)
    expect(session.server).toBe(`127.0.0.1:${primary.port}`)
    const alone = await failureOf(`postgres://dlv@127.0.0.1:${standby.port}/postgres`, env)
    expect(alone).toMatchObject({
      kind: 'connection',
      message: expect.stringContaining(`127.0.0.1:${standby.port} is a standby`),
    })

    await once(urlOf(primary), 'CREATE TABLE kept (a int)')
    await primary.kill('SIGKILL')
    await promote()
    expect((await connect(address, env)).server).toBe(`127.0.0.1:${standby.port}`)
    expect(await once(urlOf(standby), 'SELECT * FROM kept')).toEqual([])
  })
})
