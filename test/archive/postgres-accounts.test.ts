import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tables } from '../../src/archive/index.js'
import { views } from '../../src/archive/views.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { startRotatingService } from '../support/sandbox/rotating-service.js'

const dataOf = (cli: Cli) => join(cli.home, '.local/share/dlv')

/** Two accounts of one service, whose archives are copied into one database by one machine. */
async function twoAccounts() {
  const [cli, service, database] = [createCli(), await startRotatingService(), await createTestDatabase()]
  service.give('key-a', 'marketplace')
  service.give('key-b', 'ownedfleet')
  const env = (key: string) => ({
    ...database.env,
    DLV_BASE_URL: service.baseUrl,
    DLV_API_KEY: key,
    DLV_ENVIRONMENT: 'sandbox',
  })
  const create = (key: string, reference: string) =>
    cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference, '-q'], { env: env(key) })
  const sync = async (key: string, flags: readonly string[] = [], who = cli) =>
    expect(await who.run(['sync', '--to', database.address, ...flags], { env: env(key) })).toMatchObject({
      exitCode: 0,
    })
  const asked = <Row>(key: string, sql: string, flags: readonly string[] = [], who = cli) =>
    who.json<Row[]>(['query', sql, '--to', database.address, ...flags], { env: env(key) })
  return { cli, service, database, env, create, sync, asked }
}

describeOnPostgres('Several accounts in one database', () => {
  it('have rows of their own in every table and view, also under the same ids', async () => {
    const { cli, database, env, create, sync, asked } = await twoAccounts()
    await create('key-a', 'BOTH-1')
    await create('key-a', 'A-1')
    await create('key-b', 'BOTH-1')
    // So that problems and failures have rows.
    for (const key of ['key-a', 'key-b']) await cli.run(['simulate', 'BOTH-1', '--to', 'failed'], { env: env(key) })
    await sync('key-a')
    await sync('key-b')
    const references = 'SELECT client_order_reference AS ref FROM deliveries ORDER BY 1'
    expect(await asked('key-a', references)).toEqual([{ ref: 'A-1' }, { ref: 'BOTH-1' }])
    expect(await asked('key-b', references)).toEqual([{ ref: 'BOTH-1' }])
    const [a, b] = (
      await database.sql('SELECT account FROM dlv_archive.deliveries GROUP BY 1 ORDER BY count(*) DESC')
    ).map(({ account }) => account)
    // Another account's rows with the same keys, such as those of a copied database: everything of it says FOREIGN.
    for (const [name, { file, columns }] of Object.entries(tables)) {
      if (name === 'settings' || name === 'event_counts') continue
      const at = `${file === 'people' ? 'dlv_archive_people' : 'dlv_archive'}.${name}`
      const others = Object.entries(columns).map(([column, { type }]) => {
        if (column === 'status_reason_code') return `'FOREIGN' AS ${column}`
        // Earlier, so that they would be the first of what a view takes the first of.
        if (type === 'time') return `${column} - interval '1 hour' AS ${column}`
        return type === 'text' && !['delivery_id', 'event_id', 'driver_id', 'client_order_reference'].includes(column)
          ? `coalesce(${column}, 'FOREIGN') AS ${column}`
          : column
      })
      await database.sql(
        `INSERT INTO ${at} (account, ${Object.keys(columns).join(', ')}) SELECT $2, ${others.join(', ')} FROM ${at} WHERE account = $1 ON CONFLICT DO NOTHING`,
        [a, b],
      )
    }
    const relations = [...Object.keys(tables), ...Object.keys(views)]
      .map((name) => ({ name }))
      .filter(({ name }) => name !== 'settings' && name !== 'event_counts')
    const rowsOf = relations.map(({ name }) => `SELECT '${name}' AS name, to_jsonb(t)::text AS row FROM ${name} t`)
    const rows = await asked<{ name: string; row: string }>('key-a', rowsOf.join(' UNION ALL '), ['--people'])
    for (const { row } of rows) expect(row).not.toMatch(/FOREIGN|"account"/)
    const counts = relations
      .map(({ name }) => `SELECT '${name}' AS name, count(*) AS n FROM ${name}`)
      .join(' UNION ALL ')
    const own = await cli.json<{ name: string; n: number }[]>(['query', counts, '--people'], { env: env('key-a') })
    for (const view of ['problems', 'failures']) expect(own).not.toContainEqual({ name: view, n: 0 })
    expect(relations.map(({ name }) => ({ name, n: rows.filter((row) => row.name === name).length }))).toEqual(own)
    // All accounts are read only by their own flag, with whose each row is.
    const all = await asked<{ account: string; n: number }>(
      'key-a',
      'SELECT account, count(*)::int AS n FROM daily GROUP BY 1',
      ['--all-accounts'],
    )
    expect(all.map(({ account }) => account).sort()).toEqual([a, b].sort())
    expect((await cli.run(['query', 'select 1', '--all-accounts'])).stderr).toContain('--to')
  })

  it('are emptied, forgotten and reset one by one', async () => {
    const { create, sync, asked } = await twoAccounts()
    for (const reference of ['1', '2', '3']) await create('key-a', reference)
    for (const reference of ['1', '2']) await create('key-b', reference)
    await sync('key-a')
    await sync('key-b')
    const people = async () => [
      (await asked<{ n: number }>('key-a', 'SELECT count(*) AS n FROM people', ['--people']))[0]?.n,
      (await asked<{ n: number }>('key-b', 'SELECT count(*) AS n FROM people', ['--people']))[0]?.n,
    ]
    expect(await people()).toEqual([3, 2])
    // A delivery of the other account, by its id: nothing of it is removed.
    const [{ delivery_id: theirs = '' } = {}] = await asked<{ delivery_id: string }>(
      'key-b',
      'SELECT delivery_id FROM deliveries LIMIT 1',
    )
    await sync('key-a', ['--forget', theirs])
    expect(await people()).toEqual([3, 2])
    await sync('key-a', ['--forget', '1'])
    expect(await people()).toEqual([2, 2])
    await sync('key-b', ['--older', '0s'])
    expect(await people()).toEqual([2, 0])
    await sync('key-b', ['--no-personal'])
    expect(await people()).toEqual([2, 0])
    await create('key-b', '9')
    await sync('key-b', ['--personal'])
    expect(await people()).toEqual([2, 1])
    await sync('key-a', ['--no-personal'])
    expect(await people()).toEqual([0, 1])
    expect(await asked('key-a', 'SELECT 1 AS one FROM deliveries')).toHaveLength(3)
  })

  it('are told apart by their keys on every machine, and a stranger reads nothing', async () => {
    const { cli, service, database, env, create, sync, asked } = await twoAccounts()
    await create('key-a', 'A-1')
    await sync('key-a')
    await create('key-b', 'B-1')
    const words = ['query', 'SELECT * FROM deliveries', '--to', database.address]
    expect(await cli.run(words, { env: env('key-b') })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /has nothing of the account .*it keeps that of another account.*\nhint: .*sync --to/s,
      ),
    })
    await sync('key-b')
    // Another machine with the same key is the same account, and a rotated key stays it.
    const other = createCli()
    service.give('key-a2', 'marketplace')
    await sync('key-a', [], other)
    await sync('key-a2', [], other)
    const references = 'SELECT client_order_reference AS ref FROM deliveries'
    for (const [key, who] of [
      ['key-a', cli],
      ['key-a2', cli],
      ['key-a2', other],
    ] as const)
      expect(await asked(key, references, [], who)).toEqual([{ ref: 'A-1' }])
    expect(await asked('key-b', references)).toEqual([{ ref: 'B-1' }])
    expect(await database.sql('SELECT count(*)::int AS n FROM dlv_archive.accounts')).toEqual([{ n: 2 }])
    expect(JSON.stringify(await database.sql('SELECT * FROM dlv_archive.accounts'))).not.toContain('key-')
  })

  it('become one when a machine proves it, with the rows that it has copied before', async () => {
    const { cli, service, database, create, sync, asked } = await twoAccounts()
    await create('key-a', 'A-1')
    await sync('key-a')
    // A machine that knows nothing comes with the rotated key first: nobody can tell that it is the same account.
    const other = createCli()
    service.give('key-a2', 'marketplace')
    await sync('key-a2', [], other)
    expect(await database.sql('SELECT count(*)::int AS n FROM dlv_archive.accounts')).toEqual([{ n: 2 }])
    await create('key-a2', 'A-2')
    await sync('key-a2')
    const rows = await database.sql('SELECT account, count(*)::int AS n FROM dlv_archive.deliveries GROUP BY 1')
    expect(rows).toEqual([{ account: expect.any(String), n: 2 }])
    for (const who of [cli, other])
      expect(await asked('key-a2', 'SELECT client_order_reference AS ref FROM deliveries ORDER BY 1', [], who)).toEqual(
        [{ ref: 'A-1' }, { ref: 'A-2' }],
      )
    // Forgotten is forgotten: nothing of it stays under the account that it seemed to be.
    await sync('key-a2', ['--forget', 'A-1'])
    expect(
      await database.sql("SELECT count(*)::int AS n FROM dlv_archive_people.bodies WHERE body LIKE '%A-1%'"),
    ).toEqual([{ n: 0 }])
  })

  it('keep the other one while an archive begins again', async () => {
    const { cli, database, create, sync, asked } = await twoAccounts()
    await create('key-a', 'A-1')
    await create('key-b', 'B-1')
    await sync('key-a')
    await sync('key-b')
    for (const name of readdirSync(dataOf(cli))) if (name.startsWith('archive-')) rmSync(join(dataOf(cli), name))
    await create('key-a', 'A-2')
    await sync('key-a')
    expect(await asked('key-a', 'SELECT 1 AS one FROM deliveries')).toHaveLength(2)
    expect(await asked('key-b', 'SELECT 1 AS one FROM deliveries')).toHaveLength(1)
    const kept = async () => (await database.sql('SELECT count(*)::int AS n FROM dlv_archive.deliveries'))[0]?.n
    expect(await kept()).toBe(3)
    // The sandbox of this machine is an account as well; its reset removes what was copied of it.
    const local = ['sync', '-P', 'local', '--to', database.address]
    await cli.run(['deliveries', 'create', '-P', 'local', '--file', 'examples/order.json', '--ref', 'L-1'])
    expect(await cli.run(local, { env: database.env })).toMatchObject({ exitCode: 0 })
    expect(await kept()).toBe(4)
    await cli.run(['sandbox', 'reset', '--yes', '-P', 'local'])
    expect((await cli.run(local, { env: database.env })).stderr).toContain('was reset')
    expect(await kept()).toBe(3)
  })

  it('name the rights that a reader of the database lacks, and are all read without those on dlv', async () => {
    const { cli, database, env, create, sync } = await twoAccounts()
    await create('key-a', 'A-1')
    await sync('key-a')
    const role = `analyst_${new URL(database.address).pathname.slice(1)}`
    await database.sql(`CREATE ROLE ${role} LOGIN PASSWORD 'not-for-records-3'`)
    onTestFinished(async () => {
      await database.sql(`DROP OWNED BY ${role}`)
      await database.sql(`DROP ROLE ${role}`)
    })
    const address = database.address.replace('//dlv@', `//${role}@`)
    const ask = (flags: readonly string[] = []) =>
      cli.run(['query', 'SELECT client_order_reference FROM deliveries', '--to', address, ...flags], {
        env: { ...env('key-a'), PGPASSWORD: 'not-for-records-3' },
      })
    const rows = { exitCode: 0, stdout: expect.stringContaining('A-1') }
    const refused = (text: RegExp) => ({ exitCode: 2, stdout: '', stderr: expect.stringMatching(text) })
    const lacks =
      /use the schema dlv_archive\.\nhint: .*GRANT USAGE ON SCHEMA dlv_archive TO .*SELECT ON ALL TABLES IN SCHEMA dlv_archive TO/s
    expect(await ask(['--all-accounts'])).toMatchObject(refused(lacks))
    await database.sql(`GRANT USAGE ON SCHEMA dlv_archive TO ${role}`)
    expect(await ask(['--all-accounts'])).toMatchObject(
      refused(/deliveries.*GRANT SELECT ON dlv_archive\.deliveries TO/s),
    )
    await database.sql(`GRANT SELECT ON ALL TABLES IN SCHEMA dlv_archive TO ${role}`)
    expect(await ask(['--all-accounts'])).toMatchObject(rows)
    const tellsApart =
      /does not let its user tell accounts apart: permission denied for .*\nhint: Grant it USAGE on the schema dlv and SELECT on dlv\.accounts, .*--all-accounts/s
    expect(await ask()).toMatchObject(refused(tellsApart))
    // What writes is told that the schema is there, and not to create it.
    expect(
      await cli.run(['sync', '--to', address], { env: { ...env('key-a'), PGPASSWORD: 'not-for-records-3' } }),
    ).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(
        /denied access: permission denied for schema dlv\..*\nhint: .*belongs to another user.*USAGE on the schema/s,
      ),
    })
    await database.sql(`GRANT USAGE ON SCHEMA dlv TO ${role}`)
    expect(await ask()).toMatchObject(refused(tellsApart))
    await database.sql(`GRANT SELECT ON dlv.accounts TO ${role}`)
    expect(await ask()).toMatchObject(rows)
    expect(await ask(['--people'])).toMatchObject(refused(/hint: .*GRANT USAGE ON SCHEMA dlv_archive_people TO/s))
  })
})
