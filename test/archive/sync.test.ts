import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import v8 from 'node:v8'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { archivePaths } from '../../src/archive/index.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { tablesOf } from '../support/archive/event-list.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { testOrder } from '../support/orders.js'
import { startRotatingService } from '../support/sandbox/rotating-service.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

interface Synced {
  events: number
  deliveries: number
  requests: number
  from: string
  to: string
}

const dataOf = ({ home }: Cli) => join(home, '.local', 'share', 'dlv')
const pathsOf = (cli: Cli) => archivePaths(dataOf(cli), 'local')

function rows(cli: Cli, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(pathsOf(cli).archive, { readOnly: true })
  const found = database.prepare(sql).all()
  database.close()
  return found
}

describe('dlv sync of the embedded sandbox', () => {
  it('says what came, and the second time that nothing did', async () => {
    const cli = createCli()
    await cli.run(['sandbox', 'seed', '--over', '3d', '--seed', '7', '--count', '15'])
    // Nothing is under way any more, so that no event comes between two commands.
    await cli.run(['sandbox', 'clock', 'advance', '3d'])
    const listed = await cli.run(['events', 'list', '--since', '30d', '--all', '-q'])
    const first = await cli.json<Synced>(['sync'])
    expect(first.events).toBe(listed.stdout.trim().split('\n').length)
    expect(first.deliveries).toBe(rows(cli, 'SELECT * FROM deliveries').length)
    const second = await cli.json<Synced>(['sync'])
    expect(second).toMatchObject({ events: 0, deliveries: 0, requests: 2, from: first.from })
    expect(second.to > first.to).toBe(true)
  })

  it('leaves the heap of a process alone in which more than one command runs', async () => {
    const setFlags = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => {})
    onTestFinished(() => setFlags.mockRestore())
    await createCli().json(['sync'])
    expect(setFlags).not.toHaveBeenCalled()
  })

  it('goes by the virtual time of the sandbox, and starts again when that is reset', async () => {
    const cli = createCli()
    await cli.run(['sandbox', 'seed', '--count', '20'])
    await cli.json(['sync'])
    await cli.run(['sandbox', 'clock', 'advance', '3d'])
    const ahead = await cli.json<Synced>(['sync'])
    expect(Date.parse(ahead.to)).toBeGreaterThan(Date.now() + 2 * 86_400_000)
    await cli.run(['sandbox', 'reset', '--yes'])
    await cli.run(['sandbox', 'seed', '--count', '5'])
    const { stderr } = await cli.run(['sync'])
    expect(stderr).toContain('The sandbox was reset: its archive starts again.')
    expect(rows(cli, 'SELECT * FROM deliveries')).toHaveLength(5)
  })

  it('keeps a history that the service neither lists nor finds any more, and starts again after a restore', async () => {
    const cli = createCli()
    const create = (reference: string) =>
      cli.run(['deliveries', 'create', '--file', '-', '--yes'], { stdin: JSON.stringify(testOrder(reference)) })
    await cli.run(['sandbox', 'snapshot', 'save', 'before'])
    await create('KEPT-1')
    await cli.json(['sync'])
    const references = () => rows(cli, 'SELECT client_order_reference AS ref FROM deliveries ORDER BY 1')
    const service = await startRotatingService()
    service.give('key-1', 'marketplace')
    const env = { DLV_BASE_URL: service.baseUrl, DLV_API_KEY: 'key-1', DLV_ENVIRONMENT: 'sandbox' }
    await cli.run(['deliveries', 'create', '--file', '-', '--yes'], { stdin: JSON.stringify(testOrder('A-1')), env })
    await cli.run(['sync'], { env })
    service.sandbox.fetch = async ({ url }) =>
      /\/events\b/.test(url)
        ? Response.json({ events: [], nextCursor: null })
        : Response.json({ error: { code: 'NOT_FOUND', message: 'gone', requestId: 'req_1' } }, { status: 404 })
    expect((await cli.run(['sync'], { env })).stderr).not.toContain('reset')
    const [{ n } = { n: 0 }] = await cli.json<{ n: number }[]>(['query', 'SELECT count(*) AS n FROM deliveries'], {
      env,
    })
    expect(n).toBe(1)
    // The snapshot is of the same sandbox, before the order: only its own word tells.
    await cli.run(['sandbox', 'snapshot', 'restore', 'before'])
    await create('NEW-1')
    expect((await cli.run(['sync'])).stderr).toContain('The sandbox was reset')
    expect(references()).toEqual([{ ref: 'NEW-1' }])
  })

  it('reads again a past that is filled after it was read', async () => {
    const cli = createCli()
    // No time passes, in which deliveries that are under way would have events between two commands.
    await cli.run(['sandbox', 'clock', '--scale', '0'])
    await cli.run(['sandbox', 'seed', '--count', '1'])
    await cli.json(['sync'])
    await cli.run(['sandbox', 'seed', '--over', '3d', '--seed', '7', '--count', '15'])
    await cli.json(['sync'])
    const listed = await cli.run(['deliveries', 'list', '--from', '30d', '--all', '-q'])
    expect(rows(cli, 'SELECT * FROM deliveries')).toHaveLength(listed.stdout.trim().split('\n').length)
    expect(await cli.json<Synced>(['sync'])).toMatchObject({ events: 0, requests: 2 })
  })

  it('takes in what was sent after the record of it was moved away', async () => {
    const cli = createCli()
    const create = (reference: string) =>
      cli.run(['deliveries', 'create', '--file', '-', '--yes'], { stdin: JSON.stringify(testOrder(reference)) })
    await create('BEFORE')
    await cli.json(['sync'])
    const file = join(cli.home, '.local/share/dlv/orders.db')
    for (const part of ['', '-wal', '-shm']) rmSync(`${file}${part}`, { force: true })
    await create('AFTER')
    await cli.json(['sync'])
    expect(rows(cli, 'SELECT client_order_reference FROM orders ORDER BY sent_at')).toEqual([
      { client_order_reference: 'BEFORE' },
      { client_order_reference: 'AFTER' },
    ])
  })

  it('takes in what dlv sent with orders, also before there was an archive', async () => {
    const cli = createCli()
    const noon = new Date()
    noon.setUTCDate(noon.getUTCDate() + 1)
    const start = new Date(noon.setUTCHours(17, 0, 0, 0)).toISOString()
    const end = new Date(noon.setUTCHours(18)).toISOString()
    const order = testOrder('WINDOW-1', {
      timeWindows: { deliveryMode: 'scheduled', dropoff: { start, end } },
      package: { description: 'Gift for Maya', itemsCount: 2, weightGrams: 900 },
      verification: { dropoff: { signature: { level: 'required' } } },
    })
    const create = (input: unknown) =>
      cli.run(['deliveries', 'create', '--file', '-', '--yes'], { stdin: JSON.stringify(input) })
    expect(await create(order)).toMatchObject({ exitCode: 0 })
    await cli.json(['sync'])
    await create(testOrder('PLAIN-2'))
    await cli.json(['sync'])
    expect(rows(cli, 'SELECT * FROM orders ORDER BY client_order_reference DESC')).toMatchObject([
      {
        client_order_reference: 'WINDOW-1',
        window_start: start,
        window_end: end,
        package: '{"itemsCount":2,"weightGrams":900}',
        verification: '{"dropoff":{"signature":{"level":"required"}}}',
        idempotency_key: expect.stringMatching(/./),
      },
      { client_order_reference: 'PLAIN-2', window_end: null },
    ])
    expect(rows(cli, "SELECT * FROM deliveries WHERE client_order_reference = 'WINDOW-1'")).toMatchObject([
      { window_start: start, window_end: end, promised_by: end, promise_source: 'window' },
    ])
    expect(readFileSync(pathsOf(cli).archive).includes('Maya')).toBe(false)
    // What the service does not return is shown, as known from here.
    const sent = {
      window: { start, end },
      package: { itemsCount: 2, weightGrams: 900 },
      verification: { dropoff: { signature: { level: 'required' } } },
    }
    expect(await cli.json(['deliveries', 'get', 'WINDOW-1'])).toMatchObject({ sent })
    const card = await cli.run(['deliveries', 'get', 'WINDOW-1', '--no-pager'], { columns: 100 })
    expect(card.stdout).toMatch(
      /Known from this machine.*\n +window: .* 17:00–18:00 UTC\n +package: 2 items · 0\.9 kg\n/,
    )
    const listed = await cli.json<unknown[]>(['deliveries', 'list', '--with', 'sent'])
    expect(listed).toMatchObject([{ sent: { window: null } }, { sent }])
    expect((await cli.run(['deliveries', 'list', '--with', 'sent'], { columns: 120 })).stdout).toContain(
      '17:00–18:00 UTC  2 items · 0.9 kg',
    )
  })

  it('keeps the row of each order, and its words apart from it until they are forgotten', async () => {
    const cli = createCli()
    const place = (name: string) => join(dataOf(cli), name)
    const words = (sql: string, file: string) => {
      const database = new DatabaseSync(file, { readOnly: true })
      const found = database.prepare(sql).all()
      database.close()
      return found
    }
    const texts = () =>
      words(
        'SELECT client_order_reference AS ref, description, metadata FROM order_texts ORDER BY 1',
        pathsOf(cli).people,
      )
    const waiting = () => words('SELECT reference FROM texts', place('orders.people.db')).map((row) => row.reference)
    const sheet = (...references: string[]) =>
      [
        'clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone,package.description,package.weightGrams,metadata.shift',
        ...references.map(
          (one) =>
            `${one},STORE-001,"300 Hay St, Fayetteville, NC 28301",Maya Reyes,+12025550100,Cake for ${one},900,early`,
        ),
      ].join('\n')
    const create = async (...references: string[]) => {
      writeFileSync(join(cli.home, 'orders.csv'), sheet(...references))
      const run = await cli.run(['deliveries', 'create', '--file', 'orders.csv', '--yes'], { cwd: cli.home })
      expect(run.exitCode, run.stderr).toBe(0)
      rmSync(join(cli.home, 'orders.csv.results.ndjson'))
    }
    await create('T-1', 'T-2', 'T-3')
    expect(readFileSync(place('orders.db')).includes('Cake')).toBe(false)
    await cli.json(['sync'])
    expect(rows(cli, 'SELECT client_order_reference AS ref, source_file, source_row, package FROM orders')).toEqual(
      [2, 3, 4].map((row) => ({
        ref: `T-${row - 1}`,
        source_file: 'orders.csv',
        source_row: row,
        package: '{"weightGrams":900}',
      })),
    )
    const cake = (ref: string) => ({ ref, description: `Cake for ${ref}`, metadata: '{"shift":"early"}' })
    expect([texts(), waiting()]).toEqual([['T-1', 'T-2', 'T-3'].map(cake), []])
    expect(readFileSync(pathsOf(cli).archive).includes('Cake')).toBe(false)
    const changes = ['package.description=Pie', 'package.weightGrams=700', 'metadata.shift=late', 'metadata.by=phone']
    const update = ['deliveries', 'update', 'T-2', '--yes', ...changes.flatMap((change) => ['--set', change])]
    expect(await cli.run(update)).toMatchObject({ exitCode: 0 })
    // In the archive, and on the way there.
    const like = async (reference: string) => {
      const { body } = await cli.json<{ body: unknown }>(['deliveries', 'create', '--from', reference, '--dry-run'])
      return body
    }
    const parts = { package: { description: 'Pie' }, metadata: { shift: 'late', by: 'phone' } }
    expect([await like('T-1'), await like('T-2')]).toMatchObject([{ package: { description: 'Cake for T-1' } }, parts])
    await cli.json(['sync'])
    expect(texts()[1]).toEqual({ ref: 'T-2', description: 'Pie', metadata: '{"shift":"late","by":"phone"}' })
    expect(rows(cli, "SELECT package FROM orders WHERE client_order_reference = 'T-2'")).toEqual([
      { package: '{"weightGrams":700}' },
    ])
    await cli.run(['sync', '--forget', 'T-2'])
    expect(texts().map(({ ref }) => ref)).toEqual(['T-1', 'T-3'])
    expect(readFileSync(pathsOf(cli).people).includes('Pie')).toBe(false)
    const forgotten = await cli.run(['deliveries', 'create', '--from', 'T-2', '--dry-run'])
    expect(forgotten.stderr).toContain('not kept any more, so they are not copied: package.description, metadata.shift')
    await cli.run(['sync', '--older', '0s'])
    expect(texts()).toEqual([])
    await create('T-4')
    await cli.json(['sync', '--no-personal'])
    await create('T-5')
    expect([waiting(), existsSync(pathsOf(cli).people)]).toEqual([[], false])
  })

  it('adds to an archive of the version before what it lacks', async () => {
    const cli = createCli()
    await cli.run(['deliveries', 'create', '--file', '-', '--yes'], { stdin: JSON.stringify(testOrder('OLD-1')) })
    await cli.json(['sync'])
    const { archive, people } = pathsOf(cli)
    for (const [file, sql] of [
      [archive, 'ALTER TABLE orders DROP COLUMN source_row'],
      [people, 'DROP TABLE order_texts'],
      [join(dataOf(cli), 'orders.db'), 'ALTER TABLE orders DROP COLUMN source_line'],
    ] as const) {
      const database = new DatabaseSync(file)
      database.exec(file.includes('archive') ? `${sql}; PRAGMA user_version = 2` : sql)
      database.close()
    }
    expect(await cli.json(['query', 'SELECT client_order_reference AS ref FROM orders'])).toEqual([{ ref: 'OLD-1' }])
    const order = testOrder('NEW-1', { package: { description: 'Cake' } })
    const sent = await cli.run(['deliveries', 'create', '--file', '-', '--yes'], { stdin: JSON.stringify(order) })
    expect([sent.exitCode, sent.stderr]).toEqual([0, expect.not.stringContaining('Cannot')])
    await cli.json(['sync'])
    expect(
      await cli.json([
        'query',
        '--people',
        'SELECT o.client_order_reference AS ref, source_row, description FROM orders o LEFT JOIN order_texts USING (client_order_reference) ORDER BY o.sent_at',
      ]),
    ).toMatchObject([
      { ref: 'OLD-1', source_row: null, description: null },
      { ref: 'NEW-1', description: 'Cake' },
    ])
  })

  it('takes in what is sent while it follows', async () => {
    const cli = createCli()
    const following = cli.start(['sync', '--follow', '-o', 'ndjson'])
    await following.line(() => true)
    await cli.run(['deliveries', 'create', '--file', '-', '--yes'], { stdin: JSON.stringify(testOrder('MEANWHILE')) })
    await until('the order', () => rows(cli, 'SELECT * FROM orders').length === 1)
    await following.kill('SIGINT')
  })

  it('forgets a delivery by its reference, and says what it does not know', async () => {
    const cli = createCli()
    await cli.run(['sandbox', 'seed', '--over', '1d', '--seed', '7', '--count', '4'])
    await cli.json(['sync'])
    const reference = String(rows(cli, 'SELECT * FROM deliveries')[0]?.client_order_reference)
    const { stderr } = await cli.run(['sync', '--forget', reference])
    expect(stderr).toContain('Removed the personal data of 1 delivery.')
    expect(tablesOf(pathsOf(cli)).forgotten).toHaveLength(1)
    for (const flag of [['--follow'], ['--keep', '30d'], ['--backfill', '60d'], ['--journal', 'j.db']]) {
      const refused = await cli.run(['sync', '--forget', reference, ...flag])
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('cannot be used together')])
    }
    const unknown = await cli.run(['sync', '--forget', 'ORDER-NONE'])
    expect(unknown).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No delivery in the archive has the reference "ORDER-NONE".'),
    })
  })
})

describe('dlv sync of a service', () => {
  const sandbox = serveSandbox()
  const filler = createCli((cleanUp) => afterAll(cleanUp))
  const env = () => ({ ...sandbox.env(), DLV_DATA_DIR: undefined })
  const archiveOf = (cli: Cli) => {
    const [file] = accountsOf(cli)
    return archivePaths(dataOf(cli), String(file))
  }
  const accountsOf = (cli: Cli) =>
    (existsSync(dataOf(cli)) ? readdirSync(dataOf(cli)) : []).flatMap(
      (name) => /^archive-(.+?)(?<!\.people)\.db$/.exec(name)?.[1] ?? [],
    )

  /** Until the end of a test: what happens between two fills, only one of them would have. */
  const stopTime = async () => {
    onTestFinished(async () => void (await sandbox.running.steer('POST', '/clock', { scale: 1 })))
    await sandbox.running.steer('POST', '/clock', { scale: 0 })
  }

  it('fetches older deliveries one by one with --backfill, and continues where it stopped', async () => {
    await filler.run(['sandbox', 'seed', '--over', '5d', '--seed', '7', '--count', '30'], { env: env() })
    const [whole, older] = [createCli(), createCli()]
    await stopTime()
    await whole.json(['sync'], { env: env() })
    const filled = await older.json<Synced>(['sync', '--from', '1h', '--backfill', '6d'], { env: env() })
    // The deliveries of the last hour come with their events.
    expect(filled.requests).toBeGreaterThan(filled.deliveries / 2)
    const again = await older.json<Synced>(['sync', '--from', '1h', '--backfill', '6d'], { env: env() })
    expect(again.deliveries).toBe(0)
    expect(again.requests).toBeLessThanOrEqual(3)
    const [events, backfilled] = [tablesOf(archiveOf(whole)).deliveries, tablesOf(archiveOf(older)).deliveries]
    const known = (found: unknown[] | undefined) =>
      (found as Record<string, unknown>[]).map(({ delivery_id, status, steps, ended_at, store_reference }) => ({
        delivery_id,
        status,
        steps,
        ended_at,
        store_reference,
      }))
    expect(known(backfilled)).toEqual(known(events))
  })

  it('stays with --follow, and prints a line until it is interrupted', async () => {
    const cli = createCli()
    const running = cli.start(['sync', '--follow', '-o', 'ndjson'], { env: env() })
    const line = JSON.parse(await running.line((text) => text.includes('requests'))) as Synced
    expect(line.events).toBeGreaterThan(100)
    await filler.run(['deliveries', 'create', '--file', '-', '--yes'], {
      env: env(),
      stdin: JSON.stringify(testOrder('FOLLOWED-1')),
    })
    const followed = "SELECT 1 FROM deliveries WHERE client_order_reference = 'FOLLOWED-1'"
    const archive = new DatabaseSync(archiveOf(cli).archive, { readOnly: true })
    onTestFinished(() => archive.close())
    await until('the order in the archive', () => archive.prepare(followed).get() !== undefined)
    expect(await running.kill('SIGINT')).toMatchObject({ exitCode: 130 })
  })

  it('lets an event be replayed by its id, with the same bytes, when the service no longer answers', async () => {
    const own = await startSandbox({ rateLimit: 'off' })
    const away = { DLV_BASE_URL: own.baseUrl, DLV_API_KEY: own.apiKey, DLV_WEBHOOK_SECRET: own.webhookSecret }
    await own.steer('POST', '/seed', { over: '1d', count: 2, seed: 4 })
    const app = await startTestApp()
    const cli = createCli()
    await cli.json(['sync'], { env: away })
    const listed = await cli.json<{ eventId: string; data: unknown }[]>(
      ['events', 'list', '--oldest', '--limit', '1'],
      {
        env: away,
      },
    )
    const event = [listed].flat(2)[0] as { eventId: string; data: unknown }
    await own.close()
    expect(await cli.run(['events', 'replay', event.eventId, '--to', app.url], { env: away })).toMatchObject({
      exitCode: 0,
    })
    expect(app.arrived.map(({ body }) => body.toString())).toEqual([JSON.stringify(event.data)])
  })
})
