import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { newSecret } from '../../src/webhooks/index.js'
import { orderLines } from '../support/bulk/run.js'
import { createCli } from '../support/cli/program.js'
import { postEvent, testEvent } from '../support/listener/test-listener.js'
import { createTestDatabase } from '../support/postgres/database.js'
import { describeOnPgBouncer, leftIn, otherClient, startPgBouncer } from '../support/postgres/pgbouncer.js'

const secret = newSecret()
const remote = { DLV_WEBHOOK_SECRET: secret, DLV_BASE_URL: 'http://127.0.0.1:9/delivery/v1', DLV_API_KEY: 'dlvk_test' }

/** A database with a journal, an archive and results, all filled past the pooler. */
async function filled() {
  const cli = createCli()
  const database = await createTestDatabase()
  await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'POOLED-1'])
  await cli.json(['sync', '--to', database.address], { env: database.env })
  const orders = join(cli.home, 'orders.ndjson')
  writeFileSync(orders, orderLines(2))
  await cli.run(['deliveries', 'create', '--file', orders, '--results', database.address, '--yes'], {
    env: database.env,
  })
  const listening = cli.start(['webhooks', 'listen', '--journal', database.address, '-o', 'ndjson'], {
    env: { ...remote, ...database.env },
  })
  const { url } = JSON.parse(await listening.line((line) => line.includes('"ready"')))
  const event = testEvent('del_1')
  expect(await postEvent(url, secret, event)).toBe(200)
  await listening.kill('SIGINT')
  return { cli, database, orders, eventId: event.id }
}

/** Writes through the pooler without a pause, as another program does; tells what failed. */
async function startWriter(pooled: Parameters<typeof otherClient>[0]) {
  const client = await otherClient(pooled)
  await client.query('CREATE TABLE IF NOT EXISTS public.theirs (n int, at timestamptz)')
  const failures: string[] = []
  let [written, isOver] = [0, false]
  const running = (async () => {
    while (!isOver)
      await client.query('INSERT INTO public.theirs VALUES (1, now())').then(
        () => written++,
        (error: Error) => failures.push(error.message),
      )
  })()
  onTestFinished(() => {
    isOver = true
  })
  return {
    async end() {
      isOver = true
      await running
      return { written, failures }
    },
  }
}

describeOnPgBouncer('PgBouncer in transaction mode', () => {
  it('hands on sessions in which no reader and no copy has left anything, while another program writes', async () => {
    const { cli, database, eventId } = await filled()
    // One session with the server: whoever comes next has the very same.
    const pooled = await startPgBouncer(database, { mode: 'transaction', poolSize: 1 })
    const other = await otherClient(pooled)
    const writer = await startWriter(pooled)
    const { address, env } = pooled
    const commands = [
      ['query', '--to', address, 'SELECT count(*) FROM deliveries'],
      [
        'query',
        '--to',
        address,
        "SELECT set_config('work_mem', '1MB', false), pg_advisory_lock(7), 1/0 FROM deliveries",
      ],
      ['query', '--to', address, "SELECT set_config('work_mem', '1MB', false), pg_advisory_lock(7)"],
      ['sync', '--to', address],
      ['sync', '--to', address, '--older', '1d'],
      ['webhooks', 'log', '--journal', address],
      ['webhooks', 'status', '--journal', address],
      ['webhooks', 'targets', 'list', '--journal', address],
      ['webhooks', 'gaps', '--journal', address],
      ['webhooks', 'log', eventId, '--journal', address, '--as', 'curl'],
      ['deliveries', 'results', '--results', address],
      ['doctor', '--journal', address],
      ['doctor', '--to', address],
      ['webhooks', 'listen', '--journal', address, '--port', '0'],
    ]
    for (const words of commands) {
      const isListener = words[1] === 'listen'
      // Its events belong to the account that received them.
      const readsJournal = words[0] === 'webhooks' && words[1] !== 'gaps'
      const { exitCode, stderr } = await cli.run(words, { env: { ...(readsJournal ? remote : {}), ...env } })
      const shown = words.join(' ')
      if (!/doctor|gaps|1\/0/.test(shown)) expect(exitCode, `${shown}: ${stderr}`).toBe(isListener ? 2 : 0)
      expect(stderr).not.toMatch(/prepared statement "|unreachable/)
      expect(await leftIn(other), shown).toEqual([])
    }
    const { written, failures } = await writer.end()
    expect(failures).toEqual([])
    expect(written).toBeGreaterThan(commands.length)
  })

  it('is refused each time by what needs a session of its own, however busy it is', async () => {
    const { cli, database, orders } = await filled()
    const pooled = await startPgBouncer(database, { mode: 'transaction', poolSize: 4 })
    const writers = await Promise.all([startWriter(pooled), startWriter(pooled), startWriter(pooled)])
    const { address, env } = pooled
    for (const words of [
      ...Array.from({ length: 5 }, () => ['webhooks', 'listen', '--journal', address, '--port', '0']),
      ['deliveries', 'create', '--file', orders, '--results', address, '--yes'],
      ...Array.from({ length: 5 }, () => [
        ...['deliveries', 'create', '--file', orders, '--results', address, '--dry-run'],
      ]),
    ])
      expect(await cli.run(words, { env: { ...remote, ...env } }), words.join(' ')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('is behind a pooler in transaction mode'),
      })
    for (const writer of writers) expect((await writer.end()).failures).toEqual([])
  })
})

describeOnPgBouncer('PgBouncer in statement mode', () => {
  it('serves what reads by single statements, and is named where a transaction is needed', async () => {
    const { cli, database } = await filled()
    const { address, env } = await startPgBouncer(database, { mode: 'statement', poolSize: 2 })
    await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'LATER-1'])
    const options = { env }
    const log = await cli.run(['webhooks', 'log', '--journal', address], { env: { ...remote, ...env } })
    expect(log.stdout).toContain('del_1')
    for (const words of [
      ['query', '--to', address, 'SELECT 1'],
      ['webhooks', 'listen', '--journal', address, '--port', '0'],
      ['sync', '--to', address],
    ])
      expect(await cli.run(words, options), words.join(' ')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/pooler in statement mode.*\n?hint: Name the server itself/s),
      })
  })
})

describeOnPgBouncer('PgBouncer in session mode', () => {
  it('gets its sessions back empty from a listener, also if it does not reset them', async () => {
    const { cli, database } = await filled()
    const pooled = await startPgBouncer(database, { mode: 'session', poolSize: 20, lines: ['server_reset_query ='] })
    const running = cli.start(['webhooks', 'listen', '--journal', pooled.address, '-o', 'ndjson', '--port', '0'], {
      env: { ...remote, ...pooled.env },
    })
    const { url } = JSON.parse(await running.line((line) => line.includes('"ready"')))
    expect(await postEvent(url, secret, testEvent('del_2'))).toBe(200)
    await running.kill('SIGINT')
    const others = await Promise.all(Array.from({ length: 12 }, () => otherClient(pooled)))
    for (const other of others) expect(await leftIn(other)).toEqual([])
  })
})
