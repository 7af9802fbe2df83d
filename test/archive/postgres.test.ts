import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { archivePaths, inflated, openArchive, postgresArchive, tables } from '../../src/archive/index.js'
import { lockNumber } from '../../src/archive/postgres/schema.js'
import { views } from '../../src/archive/views.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { createTestDatabase, describeOnPostgres, type TestDatabase } from '../support/postgres/database.js'
import { until } from '../support/until.js'

/** The relations of the file as `dlv query` prints them, and those of the database. */
const relations = [
  ...Object.entries(tables).map(([name, { file, key }]) => ({ name, file, order: key.join(', ') })),
  ...Object.keys(views).map((name) => ({ name, file: 'archive' as const, order: '1' })),
].filter(({ name }) => !['settings', 'event_counts'].includes(name))

type ArchiveFile = 'archive' | 'people'

const withPeople = (file: ArchiveFile) => (file === 'people' ? ['--people'] : [])

/** Whose home every machine of a test begins as a copy of. */
const first = createCli(afterAll)

async function seed() {
  await first.run(['sandbox', 'seed', '--over', '1d', '--count', '12', '--seed', '7', '--mix', 'bad-day'])
  await first.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'SENT-1'])
  // A problem and an end of each kind at any hour: at night there may be no others.
  await first.json(['simulate', 'SENT-1', '--to', 'dispatch_failed'])
  for (const end of ['failed', 'delivered']) {
    await first.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', end])
    await first.json(['simulate', end, '--to', end])
  }
}

async function seeded() {
  const cli = createCli()
  cpSync(first.home, cli.home, { recursive: true })
  const database = await createTestDatabase()
  return { cli, database, to: ['--to', database.address], env: database.env }
}

type World = Awaited<ReturnType<typeof seeded>>

type Rows = Record<string, unknown>[]

/** What a statement finds in a file of the archive, as `dlv query` prints it. */
const printedBy = (cli: Cli) => (sql: string, file: ArchiveFile) => cli.json<Rows>(['query', sql, ...withPeople(file)])

/** The same without a process for each statement. */
const readFrom = (cli: Cli) => (sql: string, file: ArchiveFile) => {
  const database = new DatabaseSync(archivePaths(dataOf(cli.home), 'local')[file], { readOnly: true })
  const rows = database.prepare(sql).all()
  database.close()
  const shown = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(value)])))
}

/** All rows of both sides, in one form. */
async function expectSame(
  { cli, to, env }: World,
  mineOf: (sql: string, file: ArchiveFile) => Promise<Rows> | Rows = readFrom(cli),
) {
  for (const { name, file, order } of relations) {
    const sql = `SELECT * FROM ${name} ORDER BY ${order}`
    const [mine, theirs] = await Promise.all([
      mineOf(sql, file),
      cli.json<Record<string, unknown>[]>(['query', sql, ...to, ...withPeople(file)], { env }),
    ])
    const [here, there] = [mine, theirs].map((rows) => rows.map(comparable))
    // Of thousands of rows this is known in a hundredth of the time; whoever reads a difference needs the other.
    if (!isDeepStrictEqual(there, here)) expect(there, name).toEqual(here)
    if (!['installation_changes', 'forgotten'].includes(name)) expect(mine, name).not.toEqual([])
  }
}

/** A view reads the present, bodies are compressed in the file, and PostgreSQL writes JSON with spaces. */
function comparable(row: Record<string, unknown>): unknown {
  const { as_of, late_seconds, problem, ...rest } = row
  if (typeof rest.body === 'string' && !rest.body.startsWith('{'))
    rest.body = Buffer.from(inflated(Buffer.from(rest.body, 'hex'))).toString()
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      typeof value === 'string' && /^[[{]/.test(value) ? JSON.parse(value) : value,
    ]),
  )
}

const dataOf = (home: string) => join(home, '.local/share/dlv')

const countOf = async (database: TestDatabase, table: string) =>
  Number((await database.sql(`SELECT count(*) AS count FROM ${table}`))[0]?.count)

/** The turn that machines take to copy a page: while the test has it, a copy under way waits before its next one. */
async function takeTurns({ address, env }: TestDatabase) {
  const url = new URL(address)
  url.password = env.PGPASSWORD
  const session = new pg.Client({ connectionString: url.href })
  await session.connect()
  onTestFinished(() => session.end())
  return {
    take: () => session.query(`SELECT pg_advisory_lock(${lockNumber})`),
    give: () => session.query(`SELECT pg_advisory_unlock(${lockNumber})`),
  }
}

describeOnPostgres('dlv sync --to', () => {
  beforeAll(seed)

  it('copies every row, and later only what has changed', async () => {
    const world = await seeded()
    const { cli, database, to, env } = world
    await cli.json(['sync', ...to], { env })
    await expectSame(world, printedBy(cli))
    // A row that nothing has changed is not written again.
    await database.sql("UPDATE dlv_archive.deliveries SET gate = 'touched'")
    await database.sql('CREATE TABLE public.before AS SELECT * FROM dlv_archive.deliveries')
    const { deliveryId } = await cli.json<{ deliveryId: string }>([
      ...['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'LATER-1'],
    ])
    await cli.json(['sync', ...to], { env })
    // Drivers move while the test runs: of what was written again, everything has changed in more than when it was seen.
    const written = await database.sql(
      `SELECT d.delivery_id, to_jsonb(d) - '{gate,seen_at}'::text[] = to_jsonb(b) - '{gate,seen_at}'::text[] AS unchanged
       FROM dlv_archive.deliveries d LEFT JOIN public.before b USING (delivery_id)
       WHERE d.gate IS DISTINCT FROM 'touched'`,
    )
    expect(written).toContainEqual({ delivery_id: deliveryId, unchanged: null })
    expect(written.filter(({ unchanged }) => unchanged === true)).toEqual([])
  })

  it('removes there what is forgotten or dropped here, and empties it of people with --no-personal', async () => {
    const world = await seeded()
    const { cli, database, to, env } = world
    await cli.json(['sync', ...to], { env })
    const [{ delivery_id: id } = {}] = await database.sql('SELECT delivery_id FROM dlv_archive_people.people LIMIT 1')
    const people = await countOf(database, 'dlv_archive_people.people')
    await cli.run(['sync', '--forget', String(id), ...to], { env })
    expect(await countOf(database, 'dlv_archive_people.people')).toBe(people - 1)
    expect(await countOf(database, `dlv_archive_people.bodies WHERE delivery_id = '${id}'`)).toBe(0)
    const deliveries = await countOf(database, 'dlv_archive.deliveries')
    await cli.json(['sync', '--keep', '12h', ...to], { env })
    expect(await countOf(database, 'dlv_archive.deliveries')).toBeLessThan(deliveries)
    await expectSame(world)
    await cli.json(['sync', '--no-personal', ...to], { env })
    for (const table of ['people', 'driver_people', 'bodies', 'order_texts'])
      expect(await countOf(database, `dlv_archive_people.${table}`)).toBe(0)
    // People of other machines stay while nothing comes: --follow copies how far it is every two seconds.
    const [{ account: mark = '' } = {}] = await database.sql('SELECT account FROM dlv_archive.accounts')
    await database.sql(
      "INSERT INTO dlv_archive_people.people (account, delivery_id, search_text) VALUES ($1, 'del_theirs', '')",
      [mark],
    )
    const writer = await openArchive(archivePaths(dataOf(cli.home), 'local'), { nowMs: Date.now })
    onTestFinished(() => writer.close())
    const { copyArchive } = await postgresArchive()
    const { signal } = new AbortController()
    const account = { mark: String(mark), service: 'embedded sandbox', fingerprint: async () => undefined }
    const copy = () => copyArchive(writer, { to: database.address, env, account, name: 'local', signal, isAgain: true })
    writer.cover('events', { fromMs: 0, toMs: 1, position: {} })
    expect(await copy()).toBe(1)
    expect(await countOf(database, 'dlv_archive_people.people')).toBe(1)
    writer.exec((prepare) => prepare('DELETE FROM events WHERE event_id = (SELECT min(event_id) FROM events)').run())
    await copy()
    expect(await countOf(database, 'dlv_archive_people.people')).toBe(0)
  })

  it('continues where it was killed, or ended by Ctrl-C', async () => {
    const world = await seeded()
    const { cli, database, to, env } = world
    const ends = [
      ['dlv_archive.events', 'SIGINT'],
      ['dlv_archive.status_history', 'SIGKILL'],
      ['dlv_archive_people.bodies', 'SIGKILL'],
    ] as const
    const turn = await takeTurns(database)
    for (const [table, signal] of ends) {
      await turn.take()
      const process = cli.startProcess(['sync', ...to], { env })
      await until(`rows in ${table}`, async () => {
        await turn.give()
        // Whoever waits for it comes first.
        await turn.take()
        return (await countOf(database, table).catch(() => 0)) > 0
      })
      const ended = process.kill(signal)
      await turn.give()
      if (signal === 'SIGINT')
        expect(await ended).toMatchObject({ exitCode: 130, stderr: expect.not.stringContaining('error') })
      await ended
    }
    await cli.json(['sync', ...to], { env })
    await expectSame(world)
  })

  it('takes the rows of two machines, and keeps the newer ones and what only one knows', async () => {
    const world = await seeded()
    const { cli, database, to, env } = world
    await cli.json(['sync', ...to], { env })
    const [{ delivery_id: id } = {}] = await database.sql(
      `UPDATE dlv_archive.deliveries SET seen_at = '2999-01-01', gate = 'newer'
       WHERE delivery_id = (SELECT min(delivery_id) FROM dlv_archive.deliveries) RETURNING delivery_id`,
    )
    await database.sql("UPDATE dlv_archive.deliveries SET window_end = '2999-01-02'")
    // A copy of the first machine, whose archive begins anew: everything is copied once more, by both at once.
    const other = createCli()
    cpSync(cli.home, other.home, { recursive: true })
    for (const machine of [cli, other])
      for (const name of readdirSync(dataOf(machine.home)))
        if (name.startsWith('archive-')) rmSync(join(dataOf(machine.home), name))
    for (const { exitCode, stderr } of await Promise.all(
      [cli, other].map((machine) => machine.run(['sync', ...to], { env })),
    ))
      expect(exitCode, stderr).toBe(0)
    expect(await database.sql(`SELECT gate FROM dlv_archive.deliveries WHERE delivery_id = '${id}'`)).toEqual([
      { gate: 'newer' },
    ])
    expect(await countOf(database, "dlv_archive.deliveries WHERE window_end IS DISTINCT FROM '2999-01-02'")).toBe(0)
  })

  it('follows the clock of a sandbox that was set back: the present of its views is that of the service', async () => {
    const world = await seeded()
    const { cli, to, env } = world
    const sync = () => cli.json(['sync', ...to], { env })
    await sync()
    for (const move of ['40d', '-40d']) {
      const { now } = await cli.json<{ now: string }>(['sandbox', 'clock'])
      const at = new Date(Date.parse(now) + (move === '40d' ? 40 : -40) * 86_400_000).toISOString()
      await cli.json(['sandbox', 'clock', 'set', at])
      await sync()
    }
    const problems = 'SELECT delivery_id FROM problems ORDER BY 1'
    const here = readFrom(cli)(problems, 'archive')
    expect(here).not.toEqual([])
    expect(await cli.json(['query', problems, ...to], { env })).toEqual(here)
  })

  it('removes the personal data that only another machine has copied when a delivery is forgotten', async () => {
    const world = await seeded()
    const { cli, database, to, env } = world
    await cli.json(['sync', ...to], { env })
    const [{ delivery_id: id } = {}] = await database.sql('SELECT delivery_id FROM dlv_archive_people.people LIMIT 1')
    const other = createCli()
    cpSync(dataOf(cli.home), dataOf(other.home), {
      recursive: true,
      filter: (name) => !name.includes('archive-'),
    })
    const words = "dlv_archive_people.order_texts WHERE client_order_reference = 'SENT-1'"
    expect(await countOf(database, words)).toBe(1)
    const [{ delivery_id: sent } = {}] = await database.sql(
      "SELECT delivery_id FROM dlv_archive.deliveries WHERE client_order_reference = 'SENT-1'",
    )
    await other.run(['sync', '--forget', String(id), '--forget', String(sent), ...to], { env })
    expect(await countOf(database, words)).toBe(0)
    for (const table of ['people', 'bodies'])
      expect(await countOf(database, `dlv_archive_people.${table} WHERE delivery_id = '${id}'`), table).toBe(0)
    await cli.json(['sync', ...to], { env })
    for (const table of ['people', 'bodies'])
      expect(await countOf(database, `dlv_archive_people.${table} WHERE delivery_id = '${id}'`), table).toBe(0)
    expect(await countOf(database, 'dlv_archive_people.people')).toBeGreaterThan(0)
    expect(await countOf(database, words)).toBe(0)
    await other.run(['sync', '--older', '0s', ...to], { env })
    for (const table of ['people', 'driver_people', 'bodies', 'order_texts'])
      expect(await countOf(database, `dlv_archive_people.${table}`), table).toBe(0)
  })

  it('copies everything again into a database that was emptied', async () => {
    const world = await seeded()
    const { cli, database, to, env } = world
    await cli.json(['sync', ...to], { env })
    await database.sql('DROP SCHEMA dlv_archive, dlv_archive_people CASCADE')
    await cli.json(['sync', ...to], { env })
    await expectSame(world)
  })

  it('refuses a database that it cannot use, and an address with a password', async () => {
    const { cli, database, to, env } = await seeded()
    await cli.json(['sync', ...to], { env })
    await database.sql(`COMMENT ON SCHEMA dlv_archive IS '{"format":1}'`)
    expect((await cli.run(['sync', ...to], { env })).stderr).toMatch(/older dlv.*\nhint: Remove it \(DROP SCHEMA/s)
    await database.sql(`COMMENT ON SCHEMA dlv_archive IS '{"format":9}'`)
    expect((await cli.run(['query', 'select 1', ...to], { env })).stderr).toContain('newer dlv')
    expect(await cli.run(['sync', ...to], { env: { PGPASSWORD: 'wrong-secret' } })).toMatchObject({
      exitCode: 3,
      stderr: expect.not.stringContaining('wrong-secret'),
    })
    const open = database.address.replace('@', ':s3cr3t@')
    for (const command of [['sync'], ['query', 'select 1']])
      expect(await cli.run([...command, '--to', open])).toMatchObject({
        exitCode: 2,
        stderr: expect.not.stringContaining('s3cr3t'),
      })
    expect(await cli.run(['sync', '--to', 'archive.db'])).toMatchObject({ exitCode: 2 })
  })
})

describeOnPostgres('dlv query --to', () => {
  const refused = [
    ['a write', 'DELETE FROM deliveries', /syntax error|cannot/],
    [
      'a write within a query',
      'WITH gone AS (DELETE FROM deliveries RETURNING 1) SELECT * FROM gone',
      /only reads|data-modifying/,
    ],
    ['a function that writes', "SELECT nextval('dlv_archive.numbers')", /read-only transaction/],
    ['several statements', 'SELECT 1; SELECT 2', /multiple commands/],
    ['several statements on tables', 'SELECT status FROM deliveries; SELECT 2', /hint: Only one statement a query/],
    ['the table of accounts by its name alone', 'SELECT * FROM accounts', /does not exist/],
    ['a transaction of its own', 'SELECT 1; COMMIT', /multiple commands/],
    ['the end of reading only', "SELECT set_config('transaction_read_only', 'off', true)", /read-write mode/],
    ['people without --people', 'SELECT * FROM people', /does not exist\.\nhint: Add --people/],
    ['a table that is misspelt', 'SELECT * FROM problms', /hint: Did you mean "problems"\?/],
    ['a column that is misspelt', 'SELECT statu FROM deliveries', /hint: .*"deliveries\.status"/],
    ['a function of SQLite', 'SELECT julianday(created_at) FROM deliveries', /hint: --to takes PostgreSQL's own SQL/],
    ['a parameter without a value', 'SELECT :missing', /needs a value for :missing/],
  ] as const

  it('answers a query with parameters, and refuses what writes', async () => {
    const { cli, database, to, env } = await seeded()
    await cli.json(['sync', ...to], { env })
    await database.sql('CREATE SEQUENCE dlv_archive.numbers')
    const sql = "SELECT status, count(*) AS n, ':s' AS t, 1::int AS one FROM deliveries WHERE status = :s GROUP BY 1"
    const count = await countOf(database, "dlv_archive.deliveries WHERE status = 'delivered'")
    expect(await cli.json(['query', sql, '--param', 's=delivered', ...to], { env })).toEqual([
      { status: 'delivered', n: count, t: ':s', one: 1 },
    ])
    for (const [what, statement, message] of refused)
      expect(await cli.run(['query', statement, ...to], { env }), what).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(message),
      })
    expect(await cli.json(['query', String.raw`SELECT E'it\'s :a' AS text`, ...to], { env })).toEqual([
      { text: "it's :a" },
    ])
    expect((await cli.run(['query', 'SELECT 1 AS a, 2 AS a WHERE false', '-o', 'csv', ...to], { env })).stdout).toBe(
      'a,a_2\n',
    )
    expect(await countOf(database, 'dlv_archive.deliveries')).toBeGreaterThan(count - 1)
  })

  it('ends with --timeout, and prints many rows as they come', async () => {
    const { cli, database, to, env } = await seeded()
    await cli.json(['sync', ...to], { env })
    const slow = await cli.run(['query', 'SELECT pg_sleep(60)', '--timeout', '500ms', ...to], { env })
    expect(slow.exitCode).not.toBe(0)
    await expect
      .poll(() =>
        countOf(database, "pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND application_name = 'dlv query'"),
      )
      .toBe(0)
    const { stdout } = await cli.run(['query', 'SELECT * FROM generate_series(1, 2345) AS n', '-o', 'ndjson', ...to], {
      env,
    })
    expect(stdout.trim().split('\n')).toHaveLength(2_345)
  })

  it('says what a server says in one line, and bounds what comes at once', async () => {
    const { cli, database, to, env } = await seeded()
    await cli.json(['sync', ...to], { env })
    await database.sql(`CREATE FUNCTION dlv_archive.boom() RETURNS int LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION E'one\\nerror: two\\x1b[31m' USING ERRCODE = '22000', HINT = E'do\\nthis'; END $$`)
    for (const sql of [
      'SELECT * FROM "x\nerror: two"',
      'SELECT "a\nerror: two" FROM daily',
      'SELECT dlv_archive.boom()',
    ]) {
      const { exitCode, stderr } = await cli.run(['query', sql, ...to], { env })
      expect([exitCode, stderr.split('\n').length], stderr).toEqual([2, 3])
      expect(stderr).not.toMatch(/^error: two|\x1b/m)
    }
    expect((await cli.run(['query', 'SELECT * FROM "x\nerror: two"'])).stderr).toContain('no such table: x error: two.')
    const wide = (rows: number, bytes: number) =>
      cli.run(
        ['query', `SELECT n, repeat('x', ${bytes}) AS a FROM generate_series(1, ${rows}) AS n`, '-o', 'ndjson', ...to],
        { env },
      )
    expect(await wide(1, 70 * 1_048_576)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/too big: more than 64 MB came at once\..*Select fewer columns/),
    })
    // Each is small enough, but not five hundred at once.
    expect((await wide(34, 2 * 1_048_576)).stdout.split('\n')).toHaveLength(35)
  })

  it('says what to do where there is no copy', async () => {
    const cli = createCli()
    const { address, env } = await createTestDatabase()
    expect(await cli.run(['query', 'SELECT 1', '--to', address], { env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Run `dlv sync --to ADDRESS` first.'),
    })
  })
})
