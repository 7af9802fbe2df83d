import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { newSecret } from '../../src/webhooks/index.js'
import { type Cli, createCli, type Running } from '../support/cli/program.js'
import { jsonLines } from '../support/json-lines.js'
import { startTestApp } from '../support/listener/test-app.js'
import { postEvent, testEvent } from '../support/listener/test-listener.js'
import { clusterFolder, databasePassword } from '../support/postgres/cluster.js'
import {
  createTestDatabase,
  describeOnPostgres,
  describeOnServers,
  once,
  startTestPair,
  startTestServer,
  type TestDatabase,
  urlOf,
} from '../support/postgres/database.js'
import { startTransactionPooler } from '../support/postgres/pooler.js'
import { until } from '../support/until.js'

const secret = newSecret()

/** A listener on a database, and what it said when it was ready. */
async function listen(cli: Cli, database: Pick<TestDatabase, 'address' | 'env'>, ...words: string[]) {
  const running = cli.start(['webhooks', 'listen', '--journal', database.address, '-o', 'ndjson', ...words], {
    env: { ...database.env, ...remote },
  })
  const ready = JSON.parse(await running.line((line) => line.includes('"ready"')))
  return { running, ready: ready as { url: string; adminUrl?: string; journal: string } }
}

const remote = { DLV_WEBHOOK_SECRET: secret, DLV_BASE_URL: 'http://127.0.0.1:9/delivery/v1', DLV_API_KEY: 'dlvk_test' }
const recordsOf = (running: Running, type: string) =>
  running
    .lines()
    .filter((line) => line.includes(`"type":"${type}"`))
    .map((line) => JSON.parse(line))

const statusOf = async (url: string | undefined, path: string) => {
  const response = await fetch(`${url}${path}`)
  return { status: response.status, text: await response.text() }
}

describeOnPostgres('listeners that share a journal in PostgreSQL', () => {
  it('receive in one and forward in another, each event once and each delivery in order', async () => {
    const database = await createTestDatabase()
    const cli = createCli()
    const app = await startTestApp()
    const receiver = await listen(cli, database)
    expect(receiver.ready.journal).toBe(database.address)
    const forwarder = await listen(cli, database, '--no-receive', '--forward-to', app.url, '--admin-port', '0')
    expect(forwarder.ready).not.toHaveProperty('url')

    const events = Array.from({ length: 12 }, (_, index) => testEvent(`del_${index % 3}`))
    for (const event of events) expect(await postEvent(receiver.ready.url, secret, event)).toBe(200)
    expect(await postEvent(receiver.ready.url, secret, events[0] as (typeof events)[0])).toBe(200)
    await until('every event at the app', () => app.arrived.length === events.length)
    for (const delivery of ['del_0', 'del_1', 'del_2'])
      expect(app.arrived.filter(({ body }) => body.includes(delivery)).map(({ id }) => id)).toEqual(
        events.filter(({ body }) => body.includes(delivery)).map(({ id }) => id),
      )
    await until('the outcomes on disk', async () => {
      const [row] = await database.sql("SELECT count(*) FROM dlv.forwards WHERE state = 'delivered'")
      return Number(row?.count) === events.length
    })
    const metrics = (await statusOf(forwarder.ready.adminUrl, '/metrics')).text
    expect(metrics).toContain(`dlv_forward_attempts_total{url="${app.url}",status="200"} ${events.length}\n`)
    expect(metrics).toContain('dlv_shards_owned 64\n')
    expect(metrics).toContain('dlv_journal_available 1\n')

    const env = { ...database.env, ...remote }
    const status = await cli.json(['webhooks', 'status', '--journal', database.address], { env })
    expect(status).toMatchObject({
      members: [{ pid: process.pid, shards: 64 }],
      shards: { total: 64, owned: 64, unowned: 0 },
      pending: [],
      standbys: [],
    })
    const listed = await cli.run(['webhooks', 'log', '--all', '-o', 'ndjson'], {
      env: { ...env, DLV_JOURNAL: database.address },
    })
    expect(jsonLines(listed.stdout).map(({ eventId }) => eventId)).toEqual(events.map(({ id }) => id))
    const [first] = events
    const shown = await cli.json(['webhooks', 'log', first?.id ?? '', '--journal', database.address], {
      env,
    })
    expect(shown).toMatchObject({
      repeats: 1,
      forwards: [{ url: app.url, state: 'delivered', attempts: 1, status: 200 }],
    })
  })

  it('give an event that came before any forwarder named a target to none, and a later one to all', async () => {
    const database = await createTestDatabase()
    const cli = createCli()
    const [one, two] = [await startTestApp(), await startTestApp()]
    const receiver = await listen(cli, database)
    await postEvent(receiver.ready.url, secret, testEvent('del_1'))
    await listen(cli, database, '--no-receive', '--forward-to', one.url)
    await listen(cli, database, '--no-receive', '--forward-to', `delivery.*=${two.url}`)
    const later = testEvent('del_1')
    await postEvent(receiver.ready.url, secret, later)
    await until('the event at both apps', () => one.arrived.length === 1 && two.arrived.length === 1)
    expect([...one.ids(), ...two.ids()]).toEqual([later.id, later.id])
  })

  it('divide the deliveries among the forwarders, and take over from one that stops', async () => {
    const database = await createTestDatabase()
    const cli = createCli()
    const app = await startTestApp()
    const first = await listen(cli, database, '--forward-to', app.url, '--admin-port', '0')
    const second = await listen(cli, database, '--no-receive', '--forward-to', app.url, '--admin-port', '0')
    const owned = async ({ ready }: typeof first) =>
      Number(/^dlv_shards_owned (\d+)$/m.exec((await statusOf(ready.adminUrl, '/metrics')).text)?.[1])
    await until('both to have half', async () => (await owned(first)) === 32 && (await owned(second)) === 32)
    const events = Array.from({ length: 20 }, (_, index) => testEvent(`del_${index}`))
    for (const event of events) await postEvent(first.ready.url, secret, event)
    await until('all events', () => app.arrived.length === events.length)
    await until('the second to have forwarded some', () => recordsOf(second.running, 'forwarded').length > 0)
    expect((await second.running.kill('SIGTERM')).exitCode).toBe(143)
    await until('the first to have all', async () => (await owned(first)) === 64)
    expect(app.ids().toSorted()).toEqual(events.map(({ id }) => id).toSorted())
  })

  it.each([
    ['a password in --journal', 'postgres://a:hunter2@127.0.0.1/x', 2, /PGPASSWORD or PGPASSFILE.*DLV_JOURNAL/],
    ['a server that is not there', 'postgres://a@127.0.0.1:9/x', 8, /unreachable: 127\.0\.0\.1:9 is unreachable/],
  ])('say so for %s', async (_, address, exitCode, said) => {
    const cli = createCli()
    for (const command of [
      ['webhooks', 'listen'],
      ['webhooks', 'log'],
      ['webhooks', 'status'],
    ]) {
      const ended = await cli.run([...command, '--journal', address], { env: remote })
      expect({ command, exitCode: ended.exitCode }).toEqual({ command, exitCode })
      expect(ended.stderr).toMatch(said)
      expect(ended.stderr).not.toContain('hunter2')
    }
  })

  it('end with 3 for a wrong password and with 2 for a newer format, and never show the password', async () => {
    const database = await createTestDatabase()
    const cli = createCli()
    const wrong = await cli.run(['webhooks', 'listen', '--journal', database.address], {
      env: { ...remote, PGPASSWORD: 'hunter2' },
    })
    expect(wrong.exitCode).toBe(3)
    expect(wrong.stderr).toMatch(/password/)
    expect(wrong.stderr).not.toContain('hunter2')

    const first = await listen(cli, database)
    await first.running.kill('SIGTERM')
    await database.sql("UPDATE dlv.meta SET value = '99' WHERE name LIKE 'journal.%'")
    for (const command of ['listen', 'log', 'status']) {
      const newer = await cli.run(['webhooks', command, '--journal', database.address], {
        env: { ...remote, ...database.env },
      })
      expect({ command, exitCode: newer.exitCode }).toEqual({ command, exitCode: 2 })
      expect(newer.stderr).toContain('newer dlv')
    }
  })

  it('end when a table is dropped, name it, and acknowledge nothing that is not kept', async () => {
    const database = await createTestDatabase()
    const cli = createCli()
    const { running, ready } = await listen(cli, database)
    expect(await postEvent(ready.url, secret, testEvent())).toBe(200)
    await database.sql('DROP TABLE dlv.conflicts, dlv.ids')
    expect(await postEvent(ready.url, secret, testEvent())).toBe(503)
    const ended = await running.ended
    expect(ended.exitCode).toBe(2)
    expect(ended.stderr).toContain('is damaged: relation')
    const again = await cli.run(['webhooks', 'listen', '--journal', database.address], {
      env: { ...remote, ...database.env },
    })
    expect(again.stderr).toContain('dlv.ids, dlv.conflicts does not exist')
  })

  it('end when a newer program has changed the tables', async () => {
    const database = await createTestDatabase()
    const { running, ready } = await listen(createCli(), database, '--admin-port', '0')
    expect((await statusOf(ready.adminUrl, '/readyz')).status).toBe(200)
    await database.sql("UPDATE dlv.meta SET value = '99' WHERE name LIKE 'journal.%'")
    await until(
      'it to end',
      async () => (await statusOf(ready.adminUrl, '/readyz').catch(() => ({ status: 0 }))).status !== 200,
    )
    const ended = await running.ended
    expect(ended.exitCode).toBe(2)
    expect(ended.stderr).toContain('newer dlv')
  })

  it('are examined by doctor', async () => {
    const database = await createTestDatabase()
    const cli = createCli()
    const env = { ...database.env }
    const findings = JSON.parse((await cli.run(['doctor', '--journal', database.address, '--json'], { env })).stdout)
    const ours = findings.filter(({ check }: { check: string }) => check.startsWith('journal'))
    expect(ours.map(({ check, verdict }: { check: string; verdict: string }) => [check, verdict])).toEqual([
      ['journal', 'ok'],
      ['journal version', 'ok'],
      ['journal pooler', 'ok'],
      ['journal settings', 'ok'],
      ['journal standby', 'warning'],
      ['journal clock', 'ok'],
      ['journal tables', 'warning'],
      ['journal partitions', 'warning'],
    ])
    const unreachable = await cli.run(['doctor', '--journal', 'postgres://a@127.0.0.1:9/x', '--json'], { env })
    expect(unreachable.exitCode).toBe(9)
    expect(JSON.parse(unreachable.stdout).at(-1)).toMatchObject({ check: 'journal', verdict: 'problem' })
  })
})

describeOnServers('a listener on a pair of servers', () => {
  it('refuses a standby alone, answers 503 without a primary, follows a promotion, and loses nothing', async () => {
    const pair = await startTestPair()
    const cli = createCli()
    const standby = await cli.run(
      ['webhooks', 'listen', '--journal', `postgres://dlv@127.0.0.1:${pair.standby.port}/postgres`],
      {
        env: { ...remote, ...pair.env },
      },
    )
    expect(standby).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining(`127.0.0.1:${pair.standby.port} is a standby`),
    })

    const { ready } = await listen(cli, pair, '--admin-port', '0')
    const kept = testEvent('del_1')
    expect(await postEvent(ready.url, secret, kept)).toBe(200)
    expect(await statusOf(ready.adminUrl, '/readyz')).toMatchObject({ status: 200 })
    await pair.primary.kill('SIGKILL')
    const during = testEvent('del_1')
    expect(await postEvent(ready.url, secret, during)).toBe(503)
    expect((await statusOf(ready.adminUrl, '/readyz')).status).toBe(503)
    expect((await statusOf(ready.adminUrl, '/livez')).status).toBe(200)
    await pair.promote()
    await until('the listener to recover', async () => (await statusOf(ready.adminUrl, '/readyz')).status === 200)
    expect(await postEvent(ready.url, secret, during)).toBe(200)
    expect((await statusOf(ready.adminUrl, '/metrics')).text).toContain('dlv_journal_failovers_total 1\n')
    expect(await once(urlOf(pair.standby), 'SELECT id FROM dlv.events ORDER BY seq')).toEqual([
      { id: kept.id },
      { id: during.id },
    ])
  })

  it('acknowledges nothing while commits wait for a standby that is gone, and continues when it is back', async () => {
    const pair = await startTestPair()
    const cli = createCli()
    const { ready } = await listen(cli, pair, '--admin-port', '0')
    await pair.standby.kill('SIGKILL')
    const event = testEvent('del_1')
    expect(await postEvent(ready.url, secret, event)).toBe(503)
    expect((await statusOf(ready.adminUrl, '/readyz')).status).toBe(503)
    await pair.standby.restart()
    await until('the listener to recover', async () => (await postEvent(ready.url, secret, event)) === 200)
    expect(await once(urlOf(pair.primary), 'SELECT id FROM dlv.ids')).toEqual([{ id: event.id }])
  })
})

describeOnServers('a listener on a server of its own', () => {
  it('refuses a pooler in transaction mode, and doctor finds it', async () => {
    const server = await startTestServer()
    const port = await startTransactionPooler(urlOf(server))
    const cli = createCli()
    const address = `postgres://dlv@127.0.0.1:${port}/postgres`
    const listening = await cli.run(['webhooks', 'listen', '--journal', address], { env: remote })
    expect(listening.exitCode).toBe(2)
    expect(listening.stderr).toContain('is behind a pooler in transaction mode')
    const { stdout } = await cli.run(['doctor', '--journal', address, '--json'], { env: {} })
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        check: 'journal pooler',
        verdict: 'problem',
        finding: expect.stringContaining('pooler'),
      }),
    )
  })

  it.skipIf(process.getuid?.() !== 0)(
    'answers 503 while the disk of the database is full, says so, and takes events again once there is room',
    async () => {
      const disk = clusterFolder('disk')
      onTestFinished(() => rmSync(disk, { recursive: true, force: true }))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700,uid=65534,gid=65534', 'tmpfs', disk])
      onTestFinished(() => void execFileSync('umount', ['-l', disk]))
      const server = await startTestServer()
      await once(urlOf(server), `CREATE TABLESPACE small LOCATION '${disk}'`)
      await once(urlOf(server), 'CREATE DATABASE full_disk TABLESPACE small')
      const cli = createCli()
      const address = `postgres://dlv@127.0.0.1:${server.port}/full_disk`
      const { running, ready } = await listen(
        cli,
        { address, env: { PGPASSWORD: databasePassword } },
        '--admin-port',
        '0',
      )
      const acknowledged: string[] = []
      const large = (id: string) => ({
        id,
        body: Buffer.from(
          `{"eventId":"${id}","eventType":"delivery.accepted","note":"${randomBytes(300_000).toString('base64')}"}`,
        ),
      })
      let refused: ReturnType<typeof large> | undefined
      for (let number = 1; refused === undefined && number < 100; number++) {
        const event = large(`evt_disk_${number}`)
        if ((await postEvent(ready.url, secret, event)) === 200) acknowledged.push(event.id)
        else refused = event
      }
      expect(acknowledged.length).toBeGreaterThan(3)
      expect(await statusOf(ready.adminUrl, '/readyz')).toMatchObject({
        status: 503,
        text: expect.stringContaining('disk'),
      })
      expect((await statusOf(ready.adminUrl, '/livez')).status).toBe(200)
      // The line may come after the answer.
      await expect
        .poll(() => recordsOf(running, 'rejected').at(-1)?.message ?? '')
        .toContain('the disk of the database is full')
      execFileSync('mount', ['-o', 'remount,size=200m', disk])
      await until('the listener to recover', async () => (await statusOf(ready.adminUrl, '/readyz')).status === 200)
      expect(await postEvent(ready.url, secret, refused ?? large('evt_none'))).toBe(200)
      const kept = await once(urlOf(server, 'full_disk'), 'SELECT id FROM dlv.events ORDER BY seq')
      expect(kept.map(({ id }) => id)).toEqual([...acknowledged, refused?.id])
    },
  )

  it('shows the password of DLV_JOURNAL nowhere', async () => {
    const server = await startTestServer()
    const cli = createCli()
    const app = await startTestApp()
    const words = ['webhooks', 'listen', '--admin-port', '0', '--forward-to', app.url, '--verbose', '-o', 'ndjson']
    const running = cli.startProcess(words, { env: { ...remote, DLV_JOURNAL: urlOf(server) } })
    const ready = JSON.parse(await running.line((line) => line.includes('"ready"')))
    expect(ready.journal).toBe(`postgres://dlv@127.0.0.1:${server.port}/postgres`)
    await postEvent(ready.url, secret, testEvent('del_1'))
    await running.line((line) => line.includes('"forwarded"'))
    const metrics = (await statusOf(ready.adminUrl, '/metrics')).text
    const listed = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(running.child.pid)], { encoding: 'utf8' })
    const sessions = JSON.stringify(await once(urlOf(server), 'SELECT application_name, query FROM pg_stat_activity'))
    await server.kill('SIGKILL')
    await postEvent(ready.url, secret, testEvent('del_1'))
    const { stdout, stderr } = await running.kill()
    const status = await cli.run(['webhooks', 'status'], { env: { DLV_JOURNAL: urlOf(server) } })
    expect(status.exitCode).toBe(8)
    for (const text of [stdout, stderr, metrics, listed, sessions, status.stdout, status.stderr])
      expect(text).not.toContain(databasePassword)
  })
})
