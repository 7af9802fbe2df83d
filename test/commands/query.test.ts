import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openForWriting } from '../../src/archive/database.js'
import { archiveSchema, exampleQueries } from '../../src/archive/index.js'
import { archiveOf, fillArchive, insert } from '../support/archive/filled.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { connectAgent } from '../support/mcp/agent.js'
import { until } from '../support/until.js'

/** Whoever changes the archive has one of its own. */
const filled = (whenOver?: Parameters<typeof createCli>[0]): Cli => {
  const cli = createCli(whenOver)
  fillArchive(cli, Date.now())
  return cli
}
const cli = filled(afterAll)

const query = (sql: string, ...more: string[]) => cli.run(['query', sql, ...more])

describe('dlv query', () => {
  it('prints rows as a table, JSON, NDJSON and CSV, NULL as nothing and null', async () => {
    const sql =
      "select client_order_reference r, promised_by p, total_price_cents from deliveries where status = 'accepted'"
    expect(JSON.parse((await query(sql, '--json')).stdout)).toEqual([
      { r: 'ORDER-4', p: null, total_price_cents: 1_004 },
    ])
    expect((await query(sql, '-o', 'ndjson')).stdout).toBe('{"r":"ORDER-4","p":null,"total_price_cents":1004}\n')
    expect((await query(sql, '-o', 'csv')).stdout).toBe('r,p,total_price_cents\nORDER-4,,1004\n')
    expect((await query(sql)).stdout).toBe('ORDER-4\t\t1004\n')
    expect((await cli.run(['query', sql], { columns: 80 })).stdout).toMatch(/ORDER-4 +1004\n$/)
  })

  it('says on a terminal how old its answer is', async () => {
    const cli = filled()
    const archive = openForWriting('archive', archiveOf(cli).archive)
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    insert(archive, 'syncs', [{ source: 'events', from_at: at(60), to_at: at(3), position: '{}', clock_ahead_ms: 0 }])
    archive.close()
    const sql = 'select count(*) from deliveries'
    // Three minutes ago may have been yesterday, which is said with its date.
    const asOf = /As of (?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d, 3m(?: \ds)? ago\./
    expect((await cli.run(['query', sql], { columns: 80 })).stdout).toMatch(asOf)
    expect((await cli.run(['query', sql])).stderr).toBe('')
  })

  it.each([
    ['archive', 'CREATE VIEW problems', 'CREATE VIEX problems', []],
    ['people', 'CREATE TABLE people', 'CREATE TABLX people', ['--people']],
  ] as const)('names a damaged file and what to do: %s', async (name, whole, damaged, flags) => {
    const cli = filled()
    const file = archiveOf(cli)[name]
    const bytes = readFileSync(file)
    bytes.write(damaged, bytes.indexOf(whole))
    writeFileSync(file, bytes)
    const { exitCode, stderr } = await cli.run(['query', 'select 1 from deliveries', ...flags])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`The archive ${file} is damaged: malformed`)])
    expect(stderr).toContain('dlv sync --from 30d')
  })

  it('keeps numbers, big integers and the names of columns', async () => {
    const { stdout } = await query(
      'select 9223372036854775807 as big, -9007199254740993 as small, 1.5 as "a.b", count(*), 1 as x, 2 as x from events',
      '--json',
    )
    expect(stdout.replace(/\s/g, '')).toBe(
      '[{"big":9223372036854775807,"small":-9007199254740993,"a.b":1.5,"count(*)":1,"x":1,"x_2":2}]',
    )
    const csv = await query('select -9007199254740993 as small, 1.5 as "a.b", -3 as n', '-o', 'csv')
    expect(csv.stdout).toBe('small,a.b,n\n-9007199254740993,1.5,-3\n')
  })

  it('binds parameters, numbers as numbers', async () => {
    const { stdout } = await query(
      'select typeof(:n) n, typeof(:zip) zip, typeof(:real) real, typeof(:big) big, :text text',
      ...[
        '--param',
        'n=12',
        '--param',
        'zip=007',
        '--param',
        'real=1.5',
        '--param',
        'big=9223372036854775807',
        '--param',
        "text=it's = 'x'",
      ],
      '--json',
    )
    expect(JSON.parse(stdout)).toEqual([
      { n: 'integer', zip: 'text', real: 'real', big: 'integer', text: "it's = 'x'" },
    ])
  })

  it('names a parameter that is missing or unknown', async () => {
    const missing = await query("select ':not' where status = :s")
    expect(missing).toMatchObject({ exitCode: 2, stdout: '' })
    const needed = await query("select * from deliveries where status = :s and '10:30' <> ''")
    expect(needed.stderr).toContain('The query needs a value for :s.')
    const unknown = await query('select 1', '--param', 's=x')
    expect(unknown).toMatchObject({ exitCode: 2 })
    expect(unknown.stderr).toContain('no parameter :s')
  })

  it('guards CSV against formulas', async () => {
    const { stdout } = await query("select store_reference s from deliveries where delivery_id = 'del_1'", '-o', 'csv')
    expect(stdout).toBe("s\n'=STORE-B\n")
  })

  it('prints bytes as hexadecimal, and inflates bodies', async () => {
    expect((await query("select x'00ff' b")).stdout).toBe('00ff\n')
    const cli = filled()
    const database = new DatabaseSync(archiveOf(cli).people)
    const { deflateSync } = await import('node:zlib')
    database
      .prepare("INSERT INTO bodies (kind, id, at, body) VALUES ('event', 'evt_1', '', ?)")
      .run(deflateSync('{"eventId":"evt_1"}'))
    database.close()
    const { stdout } = await cli.run(['query', "select inflate(body) ->> 'eventId' id from bodies", '--people'])
    expect(stdout).toBe('evt_1\n')
  })

  it('reads a statement from standard input and from a file', async () => {
    expect((await cli.run(['query', '-'], { stdin: 'select 1; -- the end\n' })).stdout).toBe('1\n')
    const file = join(cli.home, 'one.sql')
    writeFileSync(file, '-- a comment\nselect 2\n')
    expect((await cli.run(['query', '--file', file])).stdout).toBe('2\n')
    expect((await cli.run(['query', 'select 1', '--file', file])).exitCode).toBe(2)
    expect((await cli.run(['query'])).exitCode).toBe(2)
  })

  it("ends with 2 and SQLite's own message on an error", async () => {
    const unknown = await query('select unheard_of from deliveries')
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' })
    expect(unknown.stderr).toContain('no such column: unheard_of')
    expect((await query('selekt 1')).stderr).toContain('near "selekt": syntax error')
    expect((await query('select json(1,2)')).exitCode).toBe(2)
    expect((await query(' -- nothing')).stderr).toContain('The query is empty.')
  })

  it('says without an archive what to run', async () => {
    const { exitCode, stderr } = await createCli().run(['query', 'select 1'])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/Run `?dlv sync`? first\./)
  })

  it('attaches people only when asked', async () => {
    expect((await query('select contact_name from people')).stderr).toMatch(
      /no such table: people\.\nhint: Add --people/,
    )
    expect((await query('select contact_name from people', '--people')).stdout).toBe('Maya Reyes\n')
  })

  it('describes every table and column that there is', async () => {
    const relations = JSON.parse((await cli.run(['query', '--schema', '--json'])).stdout)
    expect(relations).toEqual(archiveSchema())
    const text = (await cli.run(['query', '--schema'], { columns: 100 })).stdout
    for (const { name, file, columns } of archiveSchema()) {
      const select = `select * from ${name} limit 0`
      const database = new DatabaseSync(archiveOf(cli)[file], { readOnly: true })
      expect(
        database
          .prepare(select)
          .columns()
          .map((column) => column.name),
      ).toEqual(columns.map((column) => column.name))
      database.close()
      expect(text).toContain(name)
      expect(text).toContain('median(x)')
      for (const column of columns) expect(column.about).toMatch(/^[A-Z`].*\.$/)
    }
  })

  it('describes one table, and asks for the nearest of a word that is none', async () => {
    const one = await cli.run(['query', '--schema', 'problems', '--json'])
    expect(JSON.parse(one.stdout)).toEqual(archiveSchema().filter(({ name }) => name === 'problems'))
    for (const [near, ...words] of [
      ['problems', '--schema', 'problms'],
      ['problems', 'select * from problms'],
      ['problem', 'select d.problm from problems d'],
    ]) {
      const { exitCode, stderr } = await cli.run(['query', ...words])
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`hint: Did you mean "${near}"?`)])
    }
  })

  it('says how to read a table whose name is given as the statement', async () => {
    const { exitCode, stderr } = await query('daily')
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("hint: Try dlv query 'select * from daily'")])
  })

  it('cuts no value to fit a terminal', async () => {
    const on = async (columns: number, sql: string) =>
      (await cli.run(['query', sql], { columns, env: { NO_COLOR: '1' } })).stdout
    const all = await on(80, 'select * from deliveries order by created_at')
    const [first] = JSON.parse((await query('select * from deliveries order by created_at', '--json')).stdout)
    for (const [name, value] of Object.entries(first))
      if (value !== null) expect(all).toContain(`  ${name.padEnd(22)}  ${value}\n`)
    const text =
      "select delivery_id, 'one two three four five six seven eight nine ten eleven' as words, 1 as n from deliveries"
    expect(await on(80, 'select 9223372036854775807 as big')).toMatch(/ *big\n9223372036854775807\n$/)
    expect((await on(70, text)).split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^delivery_id +words +n$/),
      expect.stringMatching(/^\S+ +one two three .* +1$/),
      expect.stringMatching(/^ +eleven$/),
    ])
  })

  it('prints ten queries to copy, each of which runs', async () => {
    const cli = filled()
    expect(exampleQueries).toHaveLength(10)
    const { stdout } = await cli.run(['query', '--examples'], { columns: 100 })
    const lines = stdout.split('\n').filter((line) => line.startsWith('dlv query '))
    expect(lines).toHaveLength(10)
    const answers = await cli.script(lines.map((line) => `${line} -o ndjson && echo END || exit 1`).join('\n'))
    expect(answers).toMatchObject({ exitCode: 0, stderr: '' })
    const results = answers.stdout.split('END\n').slice(0, 10)
    expect(results[0]).toContain('no driver for 97 min')
    expect(results[1]).toContain('"store_reference":"=STORE-B","delivered":1,"late":1,"late_percent":100')
    expect(results[3]).toBe('{"outcome":"failed","status_reason_code":"gate_closed","deliveries":1,"wasted":10.03}\n')
    expect(results[9]).toContain('"contact_name":"Maya Reyes"')
  }, 60_000)
})

const stateOf = (pid: string) => {
  try {
    return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}

/** The process of the query that a program has begun last, once SQLite is at work in it. */
async function queryOf(program = process.pid): Promise<string> {
  const child = () => readFileSync(`/proc/${program}/task/${program}/children`, 'utf8').trim().split(' ').at(-1) ?? ''
  await until('SQLite at work', () => stateOf(child()) === 'R')
  return child()
}

describe('A query that does more than read', () => {
  const cli = filled(afterAll)
  const query = (sql: string, ...more: string[]) => cli.run(['query', sql, ...more])
  const writes = [
    "insert into deliveries (delivery_id, status, seen_at) values ('x', 'x', '')",
    "insert into deliveries (delivery_id, status, seen_at) values ('x', 'x', '') returning *",
    "with new as (select 1) update deliveries set status = 'x' returning delivery_id",
    'delete from deliveries returning *',
    '/* read */ -- only\n delete from deliveries',
    'drop table deliveries',
    'create table t (a)',
    'create temp table t (a)',
    'create view v as select 1',
    'begin',
    'vacuum',
    "vacuum into '%s'",
    "attach '%s' as other",
    "/**/ATTACH/**/'%s' AS other",
    'detach main',
    'pragma writable_schema = on',
    'pragma query_only = off',
    'pragma journal_mode = delete',
    'pragma user_version = 99',
    'pragma wal_checkpoint(truncate)',
    'pragma database_list',
    'pragma temp_store_directory = "/tmp"',
    'reindex',
    'analyze',
    "select load_extension('%s')",
    "select readfile('/etc/passwd')",
    "select writefile('%s', 'x')",
    "select edit('x')",
    "select fts3_tokenizer('x', x'00')",
    'select 1; select 2',
    "select 1; attach '%s' as other",
    'select 1;;; delete from deliveries',
    'select 1 \0 ; delete from deliveries',
    'select * from people',
    'select * from temp.x',
    'explain delete from nothing_here',
  ]

  it.each(writes.map((sql) => [JSON.stringify(sql), sql] as const))('is refused: %s', async (_, sql) => {
    const target = join(cli.home, 'target.db')
    const paths = archiveOf(cli)
    const before = readFileSync(paths.archive)
    const { exitCode, stdout, stderr } = await cli.run(['query', '-'], { stdin: sql.replaceAll('%s', target) })
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^error: /m)])
    expect(readFileSync(paths.archive).equals(before)).toBe(true)
    expect(existsSync(target)).toBe(false)
    expect(readdirSync(dirname(paths.archive)).filter((name) => name.includes('people') && /wal/.test(name))).toEqual(
      [],
    )
  })

  it('can look at the schema and at the plan of a query', async () => {
    expect((await query('select name from pragma_table_info(:t)', '--param', 't=daily')).stdout).toContain('day\n')
    expect((await query('explain query plan select * from deliveries', '--json')).stdout).toContain('SCAN deliveries')
    expect((await query("select count(*) from sqlite_schema where type = 'view'")).stdout).toBe('5\n')
  })

  it.each([
    'select zeroblob(900000000)',
    "select printf('%.*c', 900000000, 'x')",
    "select replace(hex(zeroblob(30000000)), '0', 'xxxx')",
    `select ${Array(20).fill('zeroblob(60000000)').join(', ')}`,
  ])('cannot fill the memory: %s', async (sql) => {
    const { exitCode, stderr } = await query(sql)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('too big')
  })
})

describe('A query without end', () => {
  const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n'

  it('is ended by --timeout, with its process', async () => {
    const startedMs = performance.now()
    const { exitCode, stderr } = await query(endless, '--timeout', '100ms')
    expect(exitCode).toBe(8)
    expect(stderr).toContain('0.1 s')
    expect(performance.now() - startedMs).toBeLessThan(8_000)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ] as const)('is ended by %s, with its process', async (signal, code) => {
    const running = cli.startProcess(['query', endless])
    const child = await queryOf(running.child.pid)
    expect((await running.kill(signal)).exitCode).toBe(code)
    await until('its end', () => ['', 'Z'].includes(stateOf(child)))
  })

  it('ends by itself if the program was killed before it began', async () => {
    const child = fork('dist/program/query-child.cjs', { serialization: 'advanced', silent: true })
    onTestFinished(() => void child.kill('SIGKILL'))
    // By then it is the child of process 1, or, as here, of another than the one that asked.
    child.send({ paths: archiveOf(cli), sql: endless, parameters: {}, withPeople: false, ownerPid: 1 })
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  })

  it('is ended by a reader that has enough, and rows were printed meanwhile', async () => {
    const rows = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n'
    const { stdout } = await cli.shell(`dlv query '${rows}' -o csv | head -3`)
    expect(stdout).toBe('i\n1\n2\n')
  })
})

describe('Three hundred thousand rows', () => {
  it('pass in flat memory', async () => {
    const database = openForWriting('archive', archiveOf(cli).archive)
    database.close()
    const rows = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select i, 'ORDER-' || i as r, 'delivered' as s from n`
    const { exitCode, stdout, stderr } = await cli.shell(`dlv query "${rows}" -o ndjson | wc -l`, {
      env: { NODE_OPTIONS: '--max-old-space-size=24' },
    })
    expect({ exitCode, stdout: stdout.trim(), stderr }).toEqual({ exitCode: 0, stdout: '300000', stderr: '' })
  }, 60_000)
})

describe('The tool query of agents', () => {
  it('answers from the first file alone, a thousand rows, within five seconds, and only reads', async () => {
    const { call } = await connectAgent(cli, ['--read-only'])
    const late = await call('query', {
      sql: 'select store_reference, sum(is_on_time = 0) late from on_time where is_on_time = :n group by 1',
      params: { n: 0 },
    })
    expect(late.data).toMatchObject({ rows: [{ store_reference: '=STORE-B', late: 1 }], more: false })
    const schema = await call('schema', {})
    const tables = schema.data.tables as { table: string; columns: string[] }[]
    expect(tables.map(({ table }) => table)).toEqual(
      archiveSchema().flatMap(({ name, file }) => (file === 'archive' ? [name] : [])),
    )
    expect(tables.find(({ table }) => table === 'problems')?.columns).toContainEqual(
      expect.stringMatching(/^problem: The/),
    )
    const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n'
    const many = await call('query', { sql: numbers })
    expect(many.data.rows).toHaveLength(1_000)
    expect(many.data).toMatchObject({ more: true })
    const wide = await call('query', { sql: `select printf('%.*c', 60000, 'x') x from (${numbers} limit 9)` })
    expect([wide.data.rows.length, wide.data.more]).toEqual([1, true])
    for (const sql of ['select * from people', "attach 'x' as y", 'delete from deliveries', 'select 1; select 2'])
      expect((await call('query', { sql })).isError).toBe(true)
    const startedMs = performance.now()
    const endless = call('query', { sql: numbers.replace(/ i from/, ' max(i) from') })
    // It would keep a processor busy until its end.
    process.kill(Number(await queryOf()), 'SIGSTOP')
    expect(await endless).toMatchObject({ isError: true, data: { error: { code: 'QUERY_TIMEOUT' } } })
    expect(performance.now() - startedMs).toBeLessThan(15_000)
    expect((await call('query', { sql: 'select 1 one' })).data.rows).toEqual([{ one: 1 }])
  }, 60_000)
})
