import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { jsonLines } from '../support/json-lines.js'
import { testOrder } from '../support/orders.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { createTempDir } from '../support/temp-dir.js'
import { until } from '../support/until.js'

interface Result {
  row: number
  outcome: string
  deliveryId: string | null
}

function ordersFile(count: number): string {
  const file = join(createTempDir(), 'orders.ndjson')
  const lines = Array.from({ length: count }, (_, index) => JSON.stringify(testOrder(`SHARED-${index}`)))
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

const resultsIn = (stdout: string) => jsonLines<Result>(stdout)

/** Processes that share a database and a sandbox. */
async function machines(count: number, orders: number) {
  const database = await createTestDatabase()
  const sandbox = await startSandbox({ rateLimit: 'off', deliverWebhooks: false })
  const file = ordersFile(orders)
  const environment = {
    ...database.env,
    DLV_BASE_URL: sandbox.baseUrl,
    DLV_API_KEY: sandbox.apiKey,
    DLV_NO_INPUT: '1',
  }
  const words = ['deliveries', 'create', '--file', file, '--results', database.address, '-o', 'ndjson']
  const clis = Array.from({ length: count }, () => createCli())
  const created = async () => {
    const { deliveries } = (await sandbox.steer('GET', '/status')) as { deliveries: number }
    return deliveries
  }
  return { database, sandbox, words, clis, created, env: environment, file }
}

describeOnPostgres('A run that several processes share', () => {
  it('creates each order once; each process prints the rows that it settled, and all end well', async () => {
    const { sandbox, words, clis, created, database, env } = await machines(3, 75)
    const runs = await Promise.all(clis.map((cli) => cli.run(words, { env })))
    expect(runs.map(({ exitCode, stderr }) => [exitCode, stderr.match(/bug|error/)])).toEqual(runs.map(() => [0, null]))
    const printed = runs.flatMap(({ stdout }) => resultsIn(stdout))
    expect(printed.map(({ row }) => row).sort((a, b) => a - b)).toEqual(Array.from({ length: 75 }, (_, at) => at + 1))
    expect(await created()).toBe(75)
    const listed = await clis[0]?.run(['deliveries', 'results', '--results', database.address, '-o', 'ndjson'], { env })
    const results = resultsIn(listed?.stdout ?? '')
    expect(results.map(({ row }) => row)).toEqual(Array.from({ length: 75 }, (_, at) => at + 1))
    expect(new Set(results.map(({ deliveryId }) => deliveryId)).size).toBe(75)
    await sandbox.close()
  })

  it('takes over what a killed process had claimed, under the same keys', async () => {
    const { sandbox, words, clis, created, database, env } = await machines(2, 60)
    const [first, second] = clis
    if (first === undefined || second === undefined) throw new Error('two programs')
    await sandbox.steer('POST', '/faults', { rules: [{ operation: 'createDelivery', latencyMs: 200 }] })
    const killed = first.startProcess(words, { env })
    const claimed = () =>
      database.sql('SELECT count(*)::int AS count FROM dlv.bulk_rows WHERE outcome IS NULL').catch(() => [])
    await until('the first orders', async () => Number((await claimed())[0]?.count ?? 0) > 0 && (await created()) > 0)
    await killed.kill('SIGKILL')
    await sandbox.steer('POST', '/faults', { rules: [] })
    await database.sql("UPDATE dlv.bulk_rows SET lease_until = now() - interval '1 second' WHERE outcome IS NULL")
    const { exitCode } = await second.run(words, { env })
    expect(exitCode).toBe(0)
    expect(await created()).toBe(60)
    const open = await database.sql('SELECT row FROM dlv.bulk_rows WHERE outcome IS NULL')
    expect(open).toEqual([])
    await sandbox.close()
  })

  it('asks for nothing once it is complete, and tries refused rows again', async () => {
    const { sandbox, words, clis, file, env } = await machines(1, 5)
    const [cli] = clis
    if (cli === undefined) throw new Error('one program')
    const refused = testOrder('SHARED-REFUSED', { dropoff: { ...testOrder('x').dropoff, contactPhone: '12' } })
    writeFileSync(
      file,
      `${[1, 2].map((number) => JSON.stringify(testOrder(`SHARED-${number}`))).join('\n')}\n${JSON.stringify(refused)}\n`,
    )
    expect((await cli.run(words, { env })).exitCode).toBe(9)
    const again = await cli.run(words, { env })
    expect(resultsIn(again.stdout).map(({ row, outcome }) => [row, outcome])).toEqual([[3, 'failed']])
    expect(again).toMatchObject({ exitCode: 9 })
    await sandbox.close()
  })

  it('shows each order once, by its newest outcome, also after a row was left out', async () => {
    const { sandbox, words, clis, env, database } = await machines(2, 0)
    const file = join(createTempDir(), 'orders.csv')
    const to = '"1 Hay St, Fayetteville, NC 28301"'
    const rows = ['M-1,,', 'M-2,out,', 'M-3,,', 'M-4,,'].map((row) => `${row}+12025550142,${to}`)
    writeFileSync(file, `clientOrderReference,Kind,dropoff.contactPhone,dropoff.address\n${rows.join('\n')}\n`)
    const [one, other] = clis
    if (one === undefined || other === undefined) throw new Error('two programs')
    const own = words.map((word) => (word.endsWith('orders.ndjson') ? file : word))
    const all = [...own, '--name', 'Sam', '--map', 'Kind=metadata.kind']
    expect((await one.run([...all, '--store', 'WRONG-1'], { env })).exitCode).toBe(9)
    const left = [...all, '--store', 'STORE-001', '--leave-out', 'Kind=out']
    const shown = async () => {
      const words = ['deliveries', 'results', '--results', database.address, '-o', 'ndjson']
      const { stdout } = await one.run(words, { env })
      return jsonLines<{ clientOrderReference: string; outcome: string }>(stdout).map(
        ({ clientOrderReference, outcome }) => `${clientOrderReference} ${outcome}`,
      )
    }
    const created = ['M-1 created', 'M-3 created', 'M-4 created']
    const second = await other.run(left, { env })
    expect(second.exitCode, second.stdout + second.stderr).toBe(0)
    expect(await shown()).toEqual(created)
    // Settled rows count for the newest run as well.
    expect((await one.run(left, { env })).exitCode).toBe(0)
    expect(await shown()).toEqual(created)
    await sandbox.close()
  })

  it('refuses an address with a password, and says where a database cannot be reached', async () => {
    const cli = createCli()
    const words = ['deliveries', 'create', '--file', ordersFile(2), '--results']
    const withPassword = await cli.run([...words, 'postgres://dlv:hunter2@127.0.0.1/orders'])
    expect(withPassword.exitCode).toBe(2)
    expect(withPassword.stderr).toContain('PGPASSFILE')
    expect(withPassword.stderr).not.toContain('hunter2')
    const nobody = await cli.run([...words, 'postgres://dlv@127.0.0.1:9/orders'])
    expect(nobody.exitCode).toBe(8)
    expect(nobody.stderr).toMatch(/unreachable.*127\.0\.0\.1:9|127\.0\.0\.1:9.*unreachable/)
  })

  it('counts in a dry run what the run itself would send, and stores rows that cannot be sent', async () => {
    const { words, clis, env, file, database } = await machines(1, 3)
    const cli = clis[0] as Cli
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    const write = (...rows: (string | undefined)[]) => writeFileSync(file, `${rows.join('\n')}\n`)
    const dry = async () => {
      const { stderr } = await cli.run([...words, '--dry-run'], { env })
      return /^.*Nothing was sent\.$/m.exec(stderr)?.[0]
    }
    const stored = async () => {
      const listed = await cli.run(['deliveries', 'results', '--results', database.address, '-o', 'ndjson'], { env })
      return resultsIn(listed.stdout).map(({ row, outcome }) => [row, outcome])
    }
    write(lines[0], 'no JSON', lines[1])
    expect(await dry()).toBe('2 rows are ready, 1 would fail. Nothing was sent.')
    expect((await cli.run(words, { env })).exitCode).toBe(9)
    const results = [
      [1, 'created'],
      [2, 'failed'],
      [3, 'created'],
    ]
    expect(await stored()).toEqual(results)
    expect(await dry()).toBe('0 rows are ready, 1 would fail, 2 done in an earlier run. Nothing was sent.')
    write(lines[0], lines[2], lines[1])
    expect(await dry()).toBe('1 row is ready, 2 done in an earlier run. Nothing was sent.')
    expect((await cli.run(words, { env })).exitCode).toBe(0)
    expect(await stored()).toEqual(results.map(([row]) => [row, 'created']))
    expect(await dry()).toBe('0 rows are ready, 3 done in an earlier run. Nothing was sent.')
  })

  it('is refused by a dry run where the run itself is, and the dry run leaves the database as it is', async () => {
    const { words, clis, database, env } = await machines(1, 2)
    const [cli] = clis
    const dry = (more: Record<string, string> = {}) => cli?.run([...words, '--dry-run'], { env: { ...env, ...more } })
    expect((await dry())?.exitCode).toBe(0)
    const [found] = await database.sql("SELECT to_regclass('dlv.meta') IS NULL AS untouched")
    expect(found?.untouched).toBe(true)
    const away = words.map((word) => (word === database.address ? 'postgres://127.0.0.1:1/none' : word))
    const [dryAway, realAway] = [await cli?.run([...away, '--dry-run'], { env }), await cli?.run(away, { env })]
    expect(dryAway?.exitCode).toBe(realAway?.exitCode)
    expect(dryAway?.exitCode).toBe(8)
    expect((await cli?.run(words, { env }))?.exitCode).toBe(0)
    await database.sql("UPDATE dlv.meta SET value = '99' WHERE name LIKE 'bulk%'")
    const newer = await dry()
    expect([newer?.exitCode, newer?.stderr]).toEqual([2, expect.stringContaining('was written by a newer dlv')])
  })
})
